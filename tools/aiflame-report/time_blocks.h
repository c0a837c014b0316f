// SPDX-License-Identifier: MIT
// How much counts vary within one recording, from its slices of time or its steps.
//
// Samples of one run are not independent: a kernel runs in bursts, a clock changes, another program
// takes the cache for a while. Their counts then vary more than Poisson's, which is what counting
// independent samples gives. The recording itself shows by how much: text of
// `stackcollapse-aiflame --by-time` says how many samples each slice has.
//
// The estimate is that of a block bootstrap. The recording is cut into blocks that are long enough
// to hold most of what is related in time: 33 to 64 of them, or as many as it has slices. A
// bootstrap makes other recordings that might have been, from blocks drawn at random, and looks how
// their sums vary. Two refinements:
//
// * A program has phases. Blocks drawn from anywhere would mix its start with its main loop, and
//   call the difference noise. So a block is replaced only by a neighbour (the local block
//   bootstrap, Paparoditis and Politis 2002), and what changes slower than a block stays.
// * The variance of a sum of blocks that are each drawn from two neighbours is known: half the
//   squared difference of the two, block by block. So no random numbers are drawn: the result is
//   what a bootstrap converges to, and the same each time.
//
// Steps of a training are blocks as they are: text of `stackcollapse-trace --by-step`. So are
// the instances of a range that --by-range has numbered. They are whole, so the first and the last
// one count too, and five are enough.
//
// Of durations that were measured the blocks are all that is known of noise. What is in few of them
// happened a few times, at moments that the program chose: how long it took then does not vary as
// the blocks do, which have it or not. Of that nothing is known (fills()).
//
// What differs between runs (where memory is placed, how warm the device is, what else the machine
// does) is the same in all blocks of a run. No single run can show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/statistics/change.h"

namespace aiflame::report {

// The counts of one thing by time: few numbers, however long the recording is.
class TimeSeries {
  friend class TimeBlocks;
  std::vector<std::pair<uint64_t, uint64_t>> counts_;  // block and count; a block may repeat
  uint64_t length_ = 1;                                // of those blocks, in nanoseconds
};

// The blocks of one run. Slices come in any order.
class TimeBlocks {
 public:
  // Sets the slice of the counts that are added, or the step, by its number.
  void begin(uint64_t start);
  void begin_step(uint64_t number);
  void add(TimeSeries& series, uint64_t count) const;
  // Adds what another thing has.
  void add(TimeSeries& series, TimeSeries other) const;

  // After all slices were seen: how many blocks there are.
  size_t count() const { return length_ == 0 || slices_.empty() ? 0 : last() - first() + 1; }
  // Of the count of a thing. `share`: what part of `whole` is taken off in each block first, where
  // counts are compared as shares. Nothing if there are too few blocks to tell.
  Spread spread(const TimeSeries& thing, const TimeSeries& whole, double share) const;
  // Whether a thing is in at least half of the blocks.
  bool fills(const TimeSeries& thing) const;
  void finish();

 private:
  uint64_t first() const { return first_ / length_; }
  uint64_t last() const { return last_ / length_; }
  void settle();
  void merge(TimeSeries& series) const;
  std::vector<double> blocks(TimeSeries series) const;

  uint64_t slice_ = 0;         // the current one
  std::set<uint64_t> slices_;  // the distinct ones, until there are enough to know how long one is
  uint64_t first_ = UINT64_MAX, last_ = 0;
  uint64_t length_ = 0;  // of a block, a multiple of a slice; 0: not known yet
  bool has_steps_ = false, joined_ = false;
};

}  // namespace aiflame::report
