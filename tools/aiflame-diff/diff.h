// SPDX-License-Identifier: MIT
// Two tables of stack counts, made comparable and joined.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/count.h"

namespace aiflame {

// How often each stack was counted.
class CountTable {
 public:
  // False, and nothing added, when the sum of all counts would not fit 64 bits.
  bool add(std::string_view stack, Count count);
  // Counts in the unit 10^-decimals from here on, which must not be coarser; false when they would
  // not fit.
  bool widen_to(unsigned decimals);
  // Sorts bytewise and sums up equal stacks; after the last add().
  void finish();
  // Makes the sum of all counts `total`, each in proportion: rounded down, and what is then missing
  // is given to the largest remainders, one unit each. There must be something to scale.
  void scale_to(uint64_t total);

  size_t size() const { return rows_.size(); }
  std::string_view stack(size_t row) const {
    return {text_.data() + rows_[row].begin, rows_[row].size};
  }
  uint64_t count(size_t row) const { return rows_[row].count; }
  uint64_t total() const { return total_; }
  unsigned decimals() const { return decimals_; }

 private:
  struct Row {
    uint64_t begin;
    uint64_t size;
    uint64_t count;
  };
  std::vector<char> text_;
  std::vector<Row> rows_;
  uint64_t total_ = 0;
  unsigned decimals_ = 0;
};

// Calls `write(stack, before, after)` for each stack of either table, in bytewise order; 0 where it
// is missing. Both tables are finished.
template <typename Write>
void join(const CountTable& before, const CountTable& after, Write write) {
  size_t b = 0, a = 0;
  while (b < before.size() || a < after.size()) {
    int order = 0;
    if (b == before.size())
      order = 1;
    else if (a == after.size())
      order = -1;
    else
      order = before.stack(b).compare(after.stack(a));
    const std::string_view stack = order <= 0 ? before.stack(b) : after.stack(a);
    write(stack, order <= 0 ? before.count(b) : 0, order >= 0 ? after.count(a) : 0);
    if (order <= 0) ++b;
    if (order >= 0) ++a;
  }
}

// `stack` with each hexadecimal number as `0x...`: addresses differ from run to run.
void strip_hex(std::string_view stack, std::string& out);

}  // namespace aiflame
