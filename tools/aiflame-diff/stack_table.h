// SPDX-License-Identifier: MIT
// Stacks in any order, each held once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcommon/memory/growing_array.h"
#include "tools/aiflame-diff/rows.h"

namespace aiflame::diff {

class StackTable {
 public:
  struct Row {
    uint64_t hash;
    const char* text;
    uint32_t size;
    Pair counts;

    std::string_view stack() const { return {text, size}; }
    // Its text, or the beginning of it, into the cache.
    void prefetch() const {
      constexpr uint32_t kLine = 64, kMost = 512;
      for (uint32_t at = 0; at < size && at < kMost; at += kLine) __builtin_prefetch(text + at);
    }
  };

  StackTable() { slots_.assign(1024, 0); }

  // What the table finds a stack by. Another number in each run, so that nobody can write a file
  // whose stacks all meet in one place.
  static uint64_t hash_of(std::string_view stack);

  // `hash` is hash_of(stack), by which alone stacks are told apart; counts come in the unit
  // 10^-decimals(), and their sums are known to fit.
  void add(std::string_view stack, uint64_t hash, size_t side, uint64_t count);
  // What add() of a stack of this hash is going to look at, brought into the cache: first(), then,
  // a while later, second(). A large table is mostly waited for.
  void prefetch_first(uint64_t hash) const;
  void prefetch_second(uint64_t hash) const;
  // Multiplies all counts.
  void scale(uint64_t factor);
  // Bytewise; after the last add(), which it makes impossible.
  void sort();

  const GrowingArray<Row>& rows() const { return rows_; }

 private:
  // Text does not move: blocks that are filled one after the other, each twice as large as the one
  // before.
  static constexpr size_t kFirstBlock = size_t{64} << 10, kGreatestBlock = size_t{4} << 20;

  // Where a stack is looked for first. The low bits of hashes choose the part of a stack.
  size_t slot_of(uint64_t hash) const { return (hash >> 32) & (slots_.size() - 1); }
  const char* keep(std::string_view text);
  void grow();

  std::vector<GrowingArray<char>> blocks_;
  char* free_ = nullptr;
  size_t left_ = 0;
  GrowingArray<Row> rows_;
  GrowingArray<uint32_t> slots_;  // open addressing: 1 + the number of a row
};

}  // namespace aiflame::diff
