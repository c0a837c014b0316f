// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/sides.h"

#include <algorithm>
#include <cmath>

#include "libcommon/base/program.h"
#include "libcommon/statistics/sampled.h"

namespace aiflame::report {
namespace {

// A smallest count of at least this is taken for the period of a sample.
constexpr double kLeastPeriod = 1000;
// What is counted exactly has no noise. Samples this small make it less than a byte in a terabyte.
constexpr double kExact = 1e-15;

}  // namespace

Sides::Sides(const Profile& profile, const ReportSettings& settings)
    : profile_(profile), settings_(settings), unit_(std::pow(10.0, profile.decimals())) {
  // a single side counts as `after`
  border_ = settings.two_sides() ? settings.runs[0].size() : 0;
  choose_scales();
  choose_quantity();
  choose_samples();
}

double Sides::mean_total(size_t begin, size_t end) const {
  double sum = 0;
  for (size_t run = begin; run < end; ++run) sum += static_cast<double>(runs()[run].total);
  return sum / static_cast<double>(end - begin);
}

void Sides::choose_scales() {
  scales_.assign(runs().size(), 1);
  if (settings_.normalize) {
    const double target = mean_total(border_, runs().size());
    for (size_t run = 0; run < runs().size(); ++run) {
      if (runs()[run].total == 0)
        throw Error("cannot normalize: '" +
                    (run < border_ ? settings_.runs[0][run] : settings_.runs[1][run - border_]) +
                    "' has no counts");
      scales_[run] = target / static_cast<double>(runs()[run].total);
    }
  } else if (settings_.work) {
    // scaled to the mean work of the runs after
    const auto [before, after] = *settings_.work;
    const double scale = (after / static_cast<double>(runs().size() - border_)) /
                         (before / static_cast<double>(border_));
    std::fill(scales_.begin(), scales_.begin() + static_cast<std::ptrdiff_t>(border_), scale);
  }
}

void Sides::choose_quantity() {
  // simulated profiles have no files
  if (profile_.quantities().empty()) return;
  const bool two = settings_.two_sides() && !profile_.is_difference();
  quantity_ = compared_quantity(
      two ? settings_.runs : std::array<std::vector<std::string>, 2>{{{}, settings_.inputs}},
      profile_.quantities(),
      settings_.mixed       ? Compared::mixed
      : settings_.normalize ? Compared::run_shares
                            : Compared::counts);
}

bool Sides::is_exact() const {
  return quantity_.is_memory() && settings_.sample == 0;
}

// What one sample adds to a count, if that is known; 0 where none is known to have been taken.
std::optional<double> Sides::known_sample() const {
  if (settings_.sample > 0) return settings_.sample;
  if (is_exact()) return kExact;
  return count_of_sample(quantity_);
}

// With one run, the noise of a side comes from its samples alone. Where the input does not say what
// a sample counts, its smallest count is the most that one can have added, and too much noise is
// better than too little. With more runs, the noise of samples is only a lower bound for the
// variance.
void Sides::choose_samples() {
  for (size_t run = 0; run < runs().size(); ++run) {
    const size_t side = side_of(run);
    const std::optional<double> known = known_sample();
    double sample = known.value_or(1);
    const double smallest = static_cast<double>(runs()[run].smallest) / unit_;
    if (!known && runs_of(side) == 1 && smallest >= kLeastPeriod) sample = smallest;
    // runs may be scaled differently; the last one decides
    sample_[side] = sample * scales_[run];
  }
}

// Of a count in a run, from its blocks of time.
Spread Sides::spread(uint64_t count, const TimeSeries& series, size_t run) const {
  const Profile::Run& from = runs()[run];
  if (sample_[side_of(run)] == 0 && !from.blocks.fills(series)) return {};
  const double share = settings_.normalize && from.total > 0
                           ? static_cast<double>(count) / static_cast<double>(from.total)
                           : 0;
  Spread out = from.blocks.spread(series, from.whole, share);
  const double scale = scales_[run] / unit_;
  out.variance *= scale * scale;
  return out;
}

Difference Sides::compare(const Counted& counted) const {
  Measured sides[2];
  for (size_t run = 0; run < runs().size(); ++run) {
    const auto& [count, series] = counted(run);
    Measured& side = sides[side_of(run)];
    side.runs.push_back(static_cast<double>(count) * scales_[run] / unit_);
    if (runs()[run].blocks.count() > 0) side.slices = spread(count, series, run);
  }
  for (size_t side = 0; side < 2; ++side) sides[side].sample = sample_[side];
  return difference(sides[0], sides[1]);
}

Difference Sides::whole() const {
  return compare([&](size_t run) -> std::pair<uint64_t, const TimeSeries&> {
    return {runs()[run].total, runs()[run].whole};
  });
}

Difference Sides::thing(Kind kind, uint32_t number, bool self) const {
  return compare([&](size_t run) -> std::pair<uint64_t, const TimeSeries&> {
    const Cost cost = profile_.cost(kind, number, run);
    return {self ? cost.self : cost.total, profile_.series(kind, number, run, self)};
  });
}

Difference Sides::pattern(size_t number) const {
  return compare([&](size_t run) -> std::pair<uint64_t, const TimeSeries&> {
    return {runs()[run].matched[number], runs()[run].matched_series[number]};
  });
}

}  // namespace aiflame::report
