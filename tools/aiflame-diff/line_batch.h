// SPDX-License-Identifier: MIT
// The stacks of one block of the input.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/base/count_sum.h"
#include "libcommon/folded/file_quantity.h"
#include "libcommon/io/input_blocks.h"
#include "tools/aiflame-diff/rewriting.h"
#include "tools/aiflame-diff/rows.h"

namespace aiflame::diff {

class LineBatch {
 public:
  struct Line {
    std::string_view stack;
    uint64_t hash;  // StackTable::hash_of()
    Count count;
    uint32_t number;  // in the block, from 1
  };

  // Reads the next block, if there is one. Throws nothing: settle() reports an error, once all
  // earlier input has been found correct.
  void read(InputBlocks& blocks, const Rewriting& rewriting) noexcept;

  // The place of the block in the input; the greatest number if there was no block.
  uint64_t number() const { return number_; }
  bool empty() const { return number_ == UINT64_MAX; }
  size_t file() const { return block_.file; }
  bool first_of_file() const { return block_.first; }
  uint64_t lines_read() const { return lines_read_; }

  // Adds the counts to the sum of their side, and keeps both sums in the same unit. `line` is how
  // many lines of the file come before the block. Throws Error.
  void settle(std::array<CountSum, kSides>& sums, size_t side, uint64_t line) const;

  // What the block says of its counts.
  const FileQuantity& quantity() const { return quantity_; }
  // Valid until the next read().
  const std::vector<Line>& lines() const { return lines_; }

 private:
  void lex(const Rewriting& rewriting);
  std::string_view rewritten(std::string_view stack, const Rewriting& rewriting);
  std::string_view kept(std::string_view stack);

  InputBlock block_;
  uint64_t number_ = UINT64_MAX, lines_read_ = 0;
  std::vector<Line> lines_;
  std::string buffer_;               // of rewritten()
  std::deque<std::string> changed_;  // texts of lines_ that differ from the block's
  size_t changes_ = 0;               // of changed_, in use
  FileQuantity quantity_;
  CountSum sum_;
  bool fits_ = true;
  const char* mistake_ = nullptr;  // in the last line that was read
  std::exception_ptr failure_;     // why the block could not be read
};

}  // namespace aiflame::diff
