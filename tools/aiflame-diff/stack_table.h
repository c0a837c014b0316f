// SPDX-License-Identifier: MIT
// Stacks that come in any order; each distinct one is held once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "libcommon/memory/growing_array.h"
#include "libcommon/memory/hash_index.h"
#include "libcommon/memory/kept_names.h"
#include "tools/aiflame-diff/rows.h"

namespace aiflame::diff {

class StackTable {
 public:
  struct Row {
    uint64_t hash;
    const char* text;
    uint32_t size;
    uint32_t number;  // in the order in which stacks were added
    Pair counts;

    std::string_view stack() const { return {text, size}; }
    // Brings the beginning of the text into the cache. More of it gains nothing.
    void prefetch() const { __builtin_prefetch(text); }
  };

  // Of so many files, at least one on each side.
  explicit StackTable(size_t files) : files_(files) {}

  // The hash that the table finds a stack by. It differs from run to run, so that nobody can write
  // a file whose stacks all collide.
  static uint64_t hash_of(std::string_view stack);

  // `hash` is hash_of(stack); stacks with the same hash are taken for the same stack. The caller
  // gives all counts in the same unit, see scale(), and knows that their sums fit.
  void add(std::string_view stack, uint64_t hash, size_t side, size_t file, uint64_t count);
  // Bring into the cache what add() of a stack with this hash will read: first the slot, a while
  // later the row that the slot names.
  void prefetch_slot(uint64_t hash) const { index_.prefetch(hash); }
  void prefetch_row(uint64_t hash) const;
  // Multiplies all counts, when counts to come are in a finer unit.
  void scale(uint64_t factor);
  // Sorts the rows bytewise. No stack can be added after that.
  void sort();

  const GrowingArray<Row>& rows() const { return rows_; }
  // The count in each file.
  std::span<const uint64_t> runs(const Row& row) const {
    if (runs_.empty()) return row.counts;
    return {runs_.begin() + row.number * files_, files_};
  }

 private:
  // Text does not move: it fills blocks, each twice as large as the previous one.
  static constexpr size_t kFirstBlock = size_t{64} << 10, kGreatestBlock = size_t{4} << 20;

  const char* keep(std::string_view text);

  std::vector<GrowingArray<char>> blocks_;
  char* free_ = nullptr;
  size_t left_ = 0;
  KeptNames kept_;
  size_t files_;
  GrowingArray<Row> rows_;
  GrowingArray<uint64_t> runs_;  // by row and file; empty where each side has one file
  HashIndex index_;              // numbers of rows
};

}  // namespace aiflame::diff
