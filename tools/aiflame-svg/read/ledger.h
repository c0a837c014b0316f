// SPDX-License-Identifier: MIT
// Sums all counts, line by line in the order of the input, whichever thread read a line first. So
// an error names the first wrong line of the input.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "libcommon/folded/quantity_references.h"
#include "tools/aiflame-svg/read/block_report.h"

namespace aiflame::svg {

class Ledger {
 public:
  // `strict`: lines with one count and lines with two do not go together. `mixed`: counts of
  // different units do.
  explicit Ledger(bool strict, bool mixed = false) : strict_(strict), mixed_(mixed) {}

  // Takes the reports of all blocks, from any thread and in any order. False when this block is
  // wrong, or the input before it.
  [[nodiscard]] bool add(BlockReport&& report);

  // To be called after the last block. Throws the first error of the input. Warns once about lines
  // without a count, and once when some lines have two counts and others one.
  void close() const;

  // Decimals of the finest count. The sum fits 64 bits in that unit.
  unsigned decimals() const { return decimals_; }
  // Lines that are neither blank nor comments, and those of them that have no count.
  uint64_t lines() const { return counted_ + ignored_; }
  uint64_t ignored() const { return ignored_; }
  // What is counted. Its unit is empty when the input does not say it.
  const Quantity& quantity() const { return quantity_; }
  // What the input says about launches.
  const LaunchFacts& launches() const { return launches_; }
  // What it says in words.
  const Notes& notes() const { return notes_; }
  // What it says about noise.
  const FrameChanges& changes() const { return changes_; }
  // Whether counts of different units were added.
  bool adds_units() const { return adds_units_; }

 private:
  // The first line of a block with a mistake, counted in the block.
  struct Mistake {
    uint64_t line;
    std::string what;
  };
  void take(const BlockReport& report);
  std::optional<Mistake> add_counts(const BlockReport& report);
  std::optional<Mistake> compare_units(const BlockReport& report);
  [[nodiscard]] bool count(const BlockReport::Counted& line);
  bool is_like_the_first(const BlockReport::Counted& line) const;
  [[nodiscard]] bool use_decimals(unsigned decimals);
  std::string place(const BlockReport& report, uint64_t line) const;
  [[gnu::cold]] void fail(const std::string& message);

  const bool strict_, mixed_;
  std::mutex mutex_;
  std::map<uint64_t, BlockReport> waiting_;  // for earlier blocks
  uint64_t next_ = 0;
  uint64_t lines_ = 0;  // of the file, up to the next block
  uint64_t sum_ = 0, sum_before_ = 0;
  unsigned decimals_ = 0;
  uint64_t counted_ = 0, differing_ = 0, ignored_ = 0;
  std::string first_ignored_;
  Quantity quantity_;  // of all lines so far
  QuantityReferences references_;
  bool adds_units_ = false;
  LaunchFacts launches_;
  Notes notes_;
  FrameChanges changes_;
  std::exception_ptr failure_;
};

}  // namespace aiflame::svg
