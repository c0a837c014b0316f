// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/time_blocks.h"

#include <algorithm>
#include <numeric>

namespace aiflame::report {
namespace {

constexpr size_t kMostBlocks = 64;
// Fewer differences between neighbours than this say nothing about a variance.
constexpr size_t kLeastBlocks = 8;
// Steps are alike, and whole.
constexpr size_t kLeastSteps = 5;
// After so many distinct slices their length is known well enough to join them.
constexpr size_t kSlices = 256;

}  // namespace

void TimeBlocks::begin(uint64_t start) {
  if (start == slice_ && first_ != UINT64_MAX) return;
  slice_ = start;
  if (start < first_ || start > last_) {
    first_ = std::min(first_, start);
    last_ = std::max(last_, start);
    if (length_ > 0) settle();
  }
  if (length_ > 0) return;
  slices_.insert(start);
  if (slices_.size() > kSlices) finish();
}

void TimeBlocks::begin_step(uint64_t number) {
  has_steps_ = true;
  begin(number);
}

void TimeBlocks::finish() {
  if (length_ > 0 || slices_.empty()) return;
  // the length of a slice, or a multiple
  uint64_t step = 0;
  for (const uint64_t start : slices_) step = std::gcd(step, start);
  length_ = std::max<uint64_t>(1, step);
  settle();
}

// Joins blocks in pairs until there are few enough.
void TimeBlocks::settle() {
  for (; last() - first() >= kMostBlocks; joined_ = true) length_ *= 2;
}

void TimeBlocks::add(TimeSeries& series, uint64_t count) const {
  if (length_ > 0 && series.length_ != length_) merge(series);
  const uint64_t block = slice_ / series.length_;
  if (!series.counts_.empty() && series.counts_.back().first == block) {
    series.counts_.back().second += count;
    return;
  }
  // so much only if slices come out of order
  if (series.counts_.size() >= 2 * kSlices) merge(series);
  series.counts_.emplace_back(block, count);
}

void TimeBlocks::add(TimeSeries& series, TimeSeries other) const {
  // both have the present length then
  merge(series);
  merge(other);
  series.counts_.insert(series.counts_.end(), other.counts_.begin(), other.counts_.end());
  merge(series);
}

// Brings a series to the present length of blocks, each once.
void TimeBlocks::merge(TimeSeries& series) const {
  auto& counts = series.counts_;
  const uint64_t factor = length_ > 0 ? length_ / series.length_ : 1;
  for (auto& one : counts) one.first /= factor;
  series.length_ *= factor;
  std::sort(counts.begin(), counts.end());
  size_t kept = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (kept > 0 && counts[kept - 1].first == counts[i].first)
      counts[kept - 1].second += counts[i].second;
    else
      counts[kept++] = counts[i];
  }
  counts.resize(kept);
}

std::vector<double> TimeBlocks::blocks(TimeSeries series) const {
  merge(series);
  std::vector<double> out(count());
  for (const auto& [block, count] : series.counts_)
    out[block - first()] += static_cast<double>(count);
  return out;
}

Spread TimeBlocks::spread(const TimeSeries& thing, const TimeSeries& whole, double share) const {
  // a recording begins and ends within a block, and those two are left out
  const size_t left_out = has_steps_ && !joined_ ? 0 : 1;
  if (count() < (left_out == 0 ? kLeastSteps : kLeastBlocks + 2)) return {};
  std::vector<double> counts = blocks(thing);
  if (share > 0) {
    const std::vector<double> all = blocks(whole);
    for (size_t i = 0; i < counts.size(); ++i) counts[i] -= share * all[i];
  }
  double squares = 0;
  for (size_t i = left_out + 1; i + left_out < counts.size(); ++i)
    squares += (counts[i] - counts[i - 1]) * (counts[i] - counts[i - 1]) / 2;
  const auto inner = static_cast<double>(counts.size() - 2 * left_out);
  // neighbouring differences share a block, which costs a third of the degrees of freedom
  return {squares / (inner - 1) * static_cast<double>(counts.size()),
          2 * (inner - 1) * (inner - 1) / (3 * inner - 4)};
}

bool TimeBlocks::fills(const TimeSeries& thing) const {
  const std::vector<double> counts = blocks(thing);
  const auto with = std::count_if(counts.begin(), counts.end(), [](double one) { return one > 0; });
  return 2 * static_cast<size_t>(with) >= counts.size();
}

}  // namespace aiflame::report
