// SPDX-License-Identifier: MIT
// A file of folded stacks in bytewise order, as stackcollapse-aiflame writes it. Such files can be
// joined without holding them in memory.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/count_sum.h"
#include "libcommon/folded/file_quantity.h"
#include "libcommon/io/input.h"
#include "tools/aiflame-diff/rewriting.h"

namespace aiflame::diff {

class SortedFile {
 public:
  // A place in the file where a line begins, and that line's stack.
  struct Mark {
    uint64_t offset;
    std::string stack;  // as it is compared
  };
  // The distance between marks: finding a line reads up to this many bytes that it does not need.
  static constexpr uint64_t kMarkDistance = uint64_t{128} << 10;

  // Whether `path` can be read twice and at any offset: a regular file that is not compressed.
  static bool possible(const std::string& path);
  SortedFile(const std::string& path, Match match) : source_(path), path_(path), match_(match) {}

  // Reads the whole file. Returns false as soon as a stack, as it is compared, is less than the
  // previous one or no beginning of its line, or a stack is not printable(), or another thread sets
  // `stop`. Throws Error for a line that is not a folded stack, and when the sum of the counts does
  // not fit.
  [[nodiscard]] bool check(const std::atomic<bool>& stop);

  const CountSum& sum() const { return sum_; }
  const FileQuantity& quantity() const { return quantity_; }
  // The line of the first stack if that begins with a slice of time, else 0.
  uint64_t slice() const { return slice_; }
  const std::vector<Mark>& marks() const { return marks_; }
  // The offset of the first line whose stack, as it is compared, is not less than `stack`.
  uint64_t lower_bound(std::string_view stack, std::string& buffer) const;
  uint64_t size() const { return size_; }
  // The bytes from `begin` to `end`, in `buffer`. The buffer only grows, since new memory costs
  // more than reading into it.
  std::string_view read(uint64_t begin, uint64_t end, std::string& buffer) const;

 private:
  mutable ByteSource source_;  // only read at offsets, which does not change it
  std::string path_;
  Match match_;
  CountSum sum_;
  FileQuantity quantity_;
  std::vector<Mark> marks_;
  uint64_t size_ = 0, slice_ = 0;
};

}  // namespace aiflame::diff
