// SPDX-License-Identifier: MIT
// What each frame of the picture counts, with its descendants, in every column of the rows.
//
// The rows come in bytewise order, in which a frame's stacks need not follow each other: "a",
// "a.x", "a;b". All of them begin with the bytes of its own stack, though, and so does whatever
// comes between them. So a frame is open as long as the rows begin with its bytes, and open frames
// are a stack. Most frames are of one row alone, and as narrow as that: they are never opened.
//
// Rows are cut into pieces that several threads read. A frame that is open where a piece ends or
// begins may go on in the next one: its sums are joined by its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame::diff {

using Columns = std::vector<uint64_t>;

// Whether a sum reaches the least one in a column that has one (not 0).
bool reaches(std::span<const uint64_t> sums, const Columns& least);

// Of one piece.
class FrameSums {
 public:
  // By the frames from the root: "matmul;main;run_basic".
  using Sums = std::map<std::string, Columns>;

  // A frame is kept if its sum reaches the least one in a column that has one (not 0). Others are
  // too narrow to be seen, and a profile has millions of them.
  explicit FrameSums(Columns least) : least_(std::move(least)) {}

  // In the order of Rows.
  void add(std::string_view stack, std::span<const uint64_t> columns);
  // After the last row. Sums of frames that other pieces may have too are whole only with theirs.
  Sums take();
  // Adds those of another piece.
  static void join(Sums& to, Sums&& from);
  bool is_wide(std::span<const uint64_t> sums) const { return reaches(sums, least_); }

 private:
  std::span<uint64_t> sums_of(size_t open) {
    return {open_sums_.data() + open * least_.size(), least_.size()};
  }
  void settle(size_t common, bool may_go_on);
  void keep_alone(size_t from, size_t to);
  void close(bool may_go_on);

  Columns least_;
  std::string first_, last_;  // stacks
  Columns columns_;           // of the last one
  size_t as_first_ = 0;       // so many bytes of it are those of the first one
  bool begun_ = false;
  std::vector<size_t> open_;  // lengths of the frames' text: each begins with the one before
  Columns open_sums_;         // of each, one after the other
  Sums closed_;
};

}  // namespace aiflame::diff
