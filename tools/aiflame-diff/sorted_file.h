// SPDX-License-Identifier: MIT
// A file of folded stacks in bytewise order, as stackcollapse-aiflame writes it: it can be joined
// with others without being held in memory.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/io/input.h"
#include "tools/aiflame-diff/rows.h"

namespace aiflame::diff {

// The lines of a piece of text, each stack with the sum of its counts.
class StackCursor {
 public:
  // `text` is whole lines, sorted and known to have counts. Counts come in the unit 10^-decimals.
  StackCursor(std::string_view text, unsigned decimals) : rest_(text), decimals_(decimals) {
    read_line();
  }

  // To the next stack; false at the end.
  bool next();
  std::string_view stack() const { return stack_; }
  uint64_t count() const { return count_; }

 private:
  bool read_line();

  std::string_view rest_;
  unsigned decimals_;
  std::string_view stack_, next_stack_;
  uint64_t count_ = 0, next_count_ = 0;
  bool more_ = false;
};

class SortedFile {
 public:
  // A place in the file: the stack of the line there.
  struct Mark {
    uint64_t offset;
    std::string stack;
  };
  // Marks lie this far apart: what is read in vain to find a line.
  static constexpr uint64_t kMarkDistance = uint64_t{128} << 10;

  // Whether `path` can be read twice, at any place: a regular file that is not compressed.
  static bool possible(const std::string& path);
  explicit SortedFile(const std::string& path) : source_(path), path_(path) {}

  // Reads all of it. False as soon as a stack comes that is less than the one before, or another
  // thread sets `stop`. Throws Error for a line that is no folded stack, and when the counts' sum
  // does not fit.
  bool check(const std::atomic<bool>& stop);

  const Sum& sum() const { return sum_; }
  const std::vector<Mark>& marks() const { return marks_; }
  // Where the first line lies whose stack is not less than `stack`.
  uint64_t lower_bound(std::string_view stack, std::string& buffer) const;
  uint64_t size() const { return size_; }
  // The bytes from `begin` to `end`, in `buffer`, which only grows: memory that is new costs more
  // than what is read into it.
  std::string_view read(uint64_t begin, uint64_t end, std::string& buffer) const;

 private:
  mutable ByteSource source_;  // read at offsets only, which changes nothing
  std::string path_;
  Sum sum_;
  std::vector<Mark> marks_;
  uint64_t size_ = 0;
};

}  // namespace aiflame::diff
