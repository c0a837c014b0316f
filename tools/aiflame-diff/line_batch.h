// SPDX-License-Identifier: MIT
// Stacks of a block of the input.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/io/input_blocks.h"
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

  // Takes the next block, if there is one. Throws nothing: what is wrong is for settle() to tell,
  // when all in front of it is known to be right.
  void read(InputBlocks& blocks, bool strip_hex) noexcept;

  // Blocks are numbered in the order of the input; of no block it is the greatest number.
  uint64_t number() const { return number_; }
  bool empty() const { return number_ == UINT64_MAX; }
  size_t file() const { return block_.file; }
  bool first_of_file() const { return block_.first; }
  uint64_t lines_read() const { return lines_read_; }

  // Adds the counts to the sum of its side; both sums come in one unit. `line` is that of the file
  // in front of the block. Throws Error.
  void settle(std::array<Sum, kSides>& sums, size_t side, uint64_t line) const;

  // Valid until the next read().
  const std::vector<Line>& lines() const { return lines_; }

 private:
  void lex(bool strip_hex);

  InputBlock block_;
  uint64_t number_ = UINT64_MAX, lines_read_ = 0;
  std::vector<Line> lines_;
  std::deque<std::string> stripped_;  // texts of lines_, where they are not the block's
  Sum sum_;
  bool fits_ = true;
  const char* mistake_ = nullptr;  // in the line read last
  std::exception_ptr failure_;     // to read a block
};

// `stack` with each hexadecimal number as `0x...`: addresses differ from run to run.
void strip_hex(std::string_view stack, std::string& out);

}  // namespace aiflame::diff
