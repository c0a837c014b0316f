// SPDX-License-Identifier: MIT
#include "libcommon/statistics/change.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcommon/statistics/quantile.h"

namespace aiflame {
namespace {

// More degrees of freedom than this count as this many: the difference is negligible.
constexpr double kMostDegrees = 200;
// Quantiles are kept for degrees of freedom in steps of 1 / this. Degrees are rounded down, so that
// an interval is never too narrow. Five runs a side have 4 to 8 degrees, and a whole one is much.
constexpr double kDegreeSteps = 8;

double square(double value) {
  return value * value;
}

double count_of(const Measured& side) {
  return static_cast<double>(side.runs.size());
}

double rounded_down(double degrees) {
  return std::floor(std::clamp(degrees, 1.0, kMostDegrees) * kDegreeSteps) / kDegreeSteps;
}

// The variance of one run, from how the runs differ.
double variance_of_run(const Measured& side) {
  const double mean = side.mean();
  double squares = 0;
  for (const double one : side.runs) squares += square(one - mean);
  return squares / (count_of(side) - 1);
}

// The variance of the mean from counting samples alone: Poisson's, with one sample more than was
// seen, because seeing none may be chance too.
double counting_variance(const Measured& side) {
  const double n = count_of(side);
  return side.sample * (side.mean() * n + side.sample) / square(n);
}

// The variance of the difference of two independent means. The degrees of freedom are Welch's of
// 1947, whose 2 correct for estimates from few runs. Without them five equal runs a side have 4 to
// 8 degrees by chance, and 8 in truth: one in twenty slowdowns would be missed for that alone.
Spread joined(const Spread& a, const Spread& b) {
  const double sum = a.variance + b.variance;
  // equal runs have no variance, and no degrees of freedom
  if (!(sum > 0)) return {};
  const auto part = [](const Spread& one) { return square(one.variance) / (one.degrees + 2); };
  return {sum, std::min(square(sum) / (part(a) + part(b)) - 2, a.degrees + b.degrees)};
}

Spread spread_of(const Measured& before, const Measured& after) {
  const size_t b = before.runs.size(), a = after.runs.size();
  if (b > 1 && a > 1) {
    const auto of_mean = [](const Measured& side) {
      return Spread{variance_of_run(side) / count_of(side), count_of(side) - 1};
    };
    return joined(of_mean(before), of_mean(after));
  }
  if (b > 1 || a > 1) {
    const Measured& several = b > 1 ? before : after;
    const double n = count_of(several);
    return {variance_of_run(several) * (1 + 1 / n), n - 1};
  }
  if (before.slices.degrees > 0 && after.slices.degrees > 0)
    return joined(before.slices, after.slices);
  return {};
}

struct Limits {
  double low, high;
};

// Byar's approximation of Poisson's limits.
Limits poisson_limits(double count, double sample, double z) {
  const double samples = count / sample, more = samples + 1;
  const auto cube = [](double v) { return v * v * v; };
  const double low =
      samples > 0
          ? samples * cube(std::max(0.0, 1 - 1 / (9 * samples) - z / (3 * std::sqrt(samples))))
          : 0;
  const double high = more * cube(1 - 1 / (9 * more) + z / (3 * std::sqrt(more)));
  return {std::min(count, low * sample), std::max(count, high * sample)};
}

// How far the interval of counting reaches below and above the change.
struct Reach {
  double below, above;
};

Reach counting_reach(const Difference& difference, double z) {
  if (difference.sample[0] <= 0) {
    const double reach = z * std::sqrt(difference.counting);
    return {reach, reach};
  }
  const Limits b = poisson_limits(difference.before, difference.sample[0], z);
  const Limits a = poisson_limits(difference.after, difference.sample[1], z);
  return {std::hypot(difference.after - a.low, b.high - difference.before),
          std::hypot(a.high - difference.after, difference.before - b.low)};
}

// The z at which the interval of counting begins to contain 0.
double counting_z(const Difference& difference) {
  const double change = difference.after - difference.before;
  if (difference.sample[0] <= 0) return std::fabs(change) / std::sqrt(difference.counting);
  // beyond this no p-value can be told from 0
  double low = 0, high = 38;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    const auto [below, above] = counting_reach(difference, middle);
    ((change > 0 ? change > below : -change > above) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double Measured::mean() const {
  return runs.empty() ? 0 : std::accumulate(runs.begin(), runs.end(), 0.0) / count_of(*this);
}

Difference difference(const Measured& before, const Measured& after) {
  Difference out;
  out.before = before.mean();
  out.after = after.mean();
  out.spread = spread_of(before, after);
  const double b = count_of(before), a = count_of(after);
  out.share = std::min(a, b) / (a + b);
  out.sampled = before.sample > 0 && after.sample > 0;
  if (!out.sampled) {
    out.samples = out.before * b + out.after * a;
    return out;
  }
  out.counting = counting_variance(before) + counting_variance(after);
  if (b <= 1 && a <= 1) {
    out.sample[0] = before.sample;
    out.sample[1] = after.sample;
  }
  out.samples = out.before * b / before.sample + out.after * a / after.sample;
  return out;
}

double p_value(const Difference& difference) {
  const double change = difference.after - difference.before;
  if (change == 0) return 1;
  const double counting = difference.sampled ? normal_outside(counting_z(difference)) : 0;
  if (!(difference.spread.variance > 0)) return counting;
  // runs that agree by chance, or because a thing is rare, underestimate the noise
  return std::max(counting,
                  student_outside(std::fabs(change) / std::sqrt(difference.spread.variance),
                                  rounded_down(difference.spread.degrees)));
}

double least_p_value(const Difference& difference) {
  if (!difference.sampled) return difference.is_noise_known() ? 0 : 1;
  return 2 * std::pow(difference.share, difference.samples);
}

Comparison::Comparison(double confidence)
    : confidence_(confidence),
      z_(normal_quantile(confidence)),
      student_(static_cast<size_t>(kMostDegrees * kDegreeSteps) + 1) {}

double Comparison::student(double degrees) const {
  const double rounded = rounded_down(degrees);
  double& quantile = student_[static_cast<size_t>(rounded * kDegreeSteps)];
  if (quantile == 0) quantile = student_quantile(confidence_, rounded);
  return quantile;
}

Change Comparison::interval(const Difference& difference) const {
  Change out;
  out.before = difference.before;
  out.after = difference.after;
  Reach reach{0, 0};
  if (confidence_ > 0 && !difference.is_noise_known()) {
    reach.below = reach.above = std::numeric_limits<double>::infinity();
  } else if (confidence_ > 0) {
    reach = counting_reach(difference, z_);
    const Spread& spread = difference.spread;
    const double differing =
        spread.variance > 0 ? student(spread.degrees) * std::sqrt(spread.variance) : 0;
    reach.below = std::max(reach.below, differing);
    reach.above = std::max(reach.above, differing);
  }
  out.low = out.change() - reach.below;
  out.high = out.change() + reach.above;
  return out;
}

}  // namespace aiflame
