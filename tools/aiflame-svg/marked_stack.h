// SPDX-License-Identifier: MIT
// Where the frames of a stack end, what it shares with the stack before, and a hash of each of its
// beginnings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// A frame: its end in the stack's text (it begins behind the ';' of the one before), a hash of its
// name, and one of the stack up to it, not made as long as it is not wanted.
struct Mark {
  uint32_t end;
  uint32_t name_hash;
  uint64_t hash;
};

// The stacks of a file one after the other. As long as they come sorted, nothing needs to be looked
// up: what a stack does not share with the one before is new (see FlameTree). Hashes are made from
// the first stack on that is out of order.
class StackMarker {
 public:
  // `ordered` false: the stacks are not to be brought into an order, so no hashes are made.
  explicit StackMarker(bool ordered = true);

  // Frames joined by ';', root first; empty frames at the end do not count. False when it is longer
  // than 4 GB.
  bool mark(std::string_view stack);

  // How many frames of the stack marked last are those of the stack before.
  size_t shared() const { return shared_; }
  // Its other frames, as long as the stacks come sorted; else all. Appends to `marks`; `text` is
  // theirs alone, valid until the next mark().
  void describe(std::string_view& text, std::vector<Mark>& marks) const;

  // False from the first stack on that is left of the one before: every stack is followed by a
  // character between 0x1f and ' ', as the blank before the count follows it in a file.
  bool sorted() const { return sorted_; }

  // Hashes differ from run to run, so that no input can be made to collide.
  static uint64_t name_hash(std::string_view name);
  // Of the empty beginning, and of `before` with one more frame.
  static uint64_t root_hash();
  static uint64_t extended_hash(uint64_t before, uint64_t name_hash);

 private:
  std::string_view frame(size_t i) const {
    const size_t begin = i == 0 ? 0 : marks_[i - 1].end + size_t{1};
    return std::string_view(text_).substr(begin, marks_[i].end - begin);
  }

  std::string text_;
  std::vector<Mark> marks_;
  size_t shared_ = 0;
  bool ordered_;
  bool sorted_ = true;
};

}  // namespace aiflame
