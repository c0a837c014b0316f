// SPDX-License-Identifier: MIT
// The sums of all counts, line by line in the order of the input, whichever thread read the line
// first: what is wrong with an input is told of its first line that is wrong.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "tools/aiflame-svg/read/block_report.h"

namespace aiflame::svg {

class Ledger {
 public:
  // Any thread may call it, with the blocks in any order. False when the input is refused, or this
  // block is.
  bool add(BlockReport&& report);

  // After the last block. Throws what is wrong with the input; warns once about lines that have no
  // count, and about some of two counts among others of one.
  void close() const;

  // The finest unit of the counts, in which their sum fits 64 bits.
  unsigned decimals() const { return decimals_; }

 private:
  void take(const BlockReport& report);
  bool count(const BlockReport::Counted& line);
  bool use_decimals(unsigned decimals);
  std::string place(const BlockReport& report, uint64_t line) const;
  [[gnu::cold]] void fail(const std::string& message);

  std::mutex mutex_;
  std::map<uint64_t, BlockReport> waiting_;  // for those before them
  uint64_t next_ = 0;
  uint64_t lines_ = 0;  // of the file, before the next block
  uint64_t sum_ = 0, sum_before_ = 0;
  unsigned decimals_ = 0;
  uint64_t counted_ = 0, differing_ = 0, ignored_ = 0;
  std::string first_ignored_;
  std::exception_ptr failure_;
};

}  // namespace aiflame::svg
