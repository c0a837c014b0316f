// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/rank_work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace aiflame::report {
namespace {

// Ranks never work exactly alike. A job with a slower one than this gains less than a twentieth
// from mending it.
constexpr double kLeast = 1.05;
// Standard deviations of the counts' noise (Poisson). The straggler is the largest of all ranks,
// so that 3, of which one in 700 is beyond by chance, would be too few for hundreds of them.
constexpr double kDeviations = 5;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The kernel, function or reason by which a rank exceeds the mean of the other ranks most.
struct More {
  uint32_t thing = RankWork::kNone;
  double more = 0;
};
More most_more(const std::map<uint32_t, std::pair<double, double>>& own_and_all, double others) {
  More out;
  for (const auto& [thing, counts] : own_and_all) {
    const double more = counts.first - (counts.second - counts.first) / others;
    if (more > out.more) out = {thing, more};
  }
  return out;
}

}  // namespace

void RankWork::add(const Key& key, uint64_t count) {
  const uint32_t number = keys_.number(key);
  if (number >= counts_.size()) counts_.resize(number + size_t{1});
  counts_[number] += count;
}

void RankWork::multiply(uint64_t factor) {
  for (uint64_t& count : counts_) count *= factor;
}

std::optional<RankWork::Straggler> RankWork::straggler(double sample) const {
  std::map<uint32_t, double> work;  // by rank
  for (uint32_t number = 0; number < counts_.size(); ++number)
    work[keys_.key(number).rank] += static_cast<double>(counts_[number]);
  if (work.size() < 2) return std::nullopt;
  const auto most = std::max_element(
      work.begin(), work.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const uint32_t rank = most->first;
  const double own = most->second;
  std::vector<double> others;
  for (const auto& [other, count] : work)
    if (other != rank) others.push_back(count);
  const double usual = median(others);
  const double noise = std::sqrt(sample * (own + usual));
  if (!(own > kLeast * usual) || !(own - usual > kDeviations * noise)) return std::nullopt;

  const auto find_most = [&](const auto& is_wanted, const auto& thing_of) {
    std::map<uint32_t, std::pair<double, double>> counts;  // of this rank, of all
    for (uint32_t number = 0; number < counts_.size(); ++number) {
      const Key& key = keys_.key(number);
      if (!is_wanted(key)) continue;
      auto& [its, all] = counts[thing_of(key)];
      const auto count = static_cast<double>(counts_[number]);
      all += count;
      if (key.rank == rank) its += count;
    }
    return most_more(counts, static_cast<double>(others.size()));
  };
  const More place =
      find_most([](const Key&) { return true; }, [](const Key& key) { return key.place; });
  const More reason =
      find_most([&](const Key& key) { return key.place == place.thing && key.reason != kNone; },
                [](const Key& key) { return key.reason; });
  return Straggler{rank, usual > 0 ? own / usual : INFINITY, place.thing, reason.thing, place.more};
}

}  // namespace aiflame::report
