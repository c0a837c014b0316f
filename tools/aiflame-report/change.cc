// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/change.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/aiflame-report/quantile.h"

namespace aiflame::report {
namespace {

// More degrees of freedom than this count as this many: the difference is negligible.
constexpr size_t kMostDegrees = 200;

double square(double value) {
  return value * value;
}

double count_of(const Measured& side) {
  return static_cast<double>(side.runs.size());
}

// The variance of the mean, from the variance of the runs.
double variance(const Measured& side) {
  double squares = 0;
  for (const double one : side.runs) squares += square(one - side.mean());
  return squares / (count_of(side) - 1) / count_of(side);
}

// The variance of the mean from counting samples alone: Poisson's, with one sample more than was
// seen, because seeing none may be chance too.
double counting_variance(const Measured& side) {
  const double n = count_of(side);
  return side.sample * (side.mean() * n + side.sample) / square(n);
}

}  // namespace

double Measured::mean() const {
  return runs.empty() ? 0 : std::accumulate(runs.begin(), runs.end(), 0.0) / count_of(*this);
}

Comparison::Comparison(double confidence)
    : confidence_(confidence), z_(normal_quantile(confidence)), student_(kMostDegrees + 1) {}

// The quantile for `degrees` rounded down, so that an interval is never too narrow.
double Comparison::student(double degrees) const {
  const size_t whole = std::min(static_cast<size_t>(std::max(1.0, degrees)), kMostDegrees);
  double& quantile = student_[whole];
  if (quantile == 0) quantile = student_quantile(confidence_, static_cast<double>(whole));
  return quantile;
}

Comparison::Limits Comparison::limits(const Measured& side) const {
  const double mean = side.mean();
  if (confidence_ <= 0 || side.runs.empty()) return {mean, mean};
  if (side.runs.size() > 1) {
    const double reach = std::max(student(count_of(side) - 1) * std::sqrt(variance(side)),
                                  z_ * std::sqrt(counting_variance(side)));
    return {mean - reach, mean + reach};
  }
  const double samples = mean / side.sample, more = samples + 1;
  const auto cube = [](double v) { return v * v * v; };
  const double low =
      samples > 0
          ? samples * cube(std::max(0.0, 1 - 1 / (9 * samples) - z_ / (3 * std::sqrt(samples))))
          : 0;
  const double high = more * cube(1 - 1 / (9 * more) + z_ / (3 * std::sqrt(more)));
  return {std::min(mean, low * side.sample), std::max(mean, high * side.sample)};
}

Change Comparison::compare(const Measured& before, const Measured& after) const {
  Change out;
  out.before = before.mean();
  out.after = after.mean();
  double below = 0, above = 0;
  if (confidence_ > 0 && before.runs.size() > 1 && after.runs.size() > 1) {
    const double b = variance(before), a = variance(after);
    const double degrees =
        square(a + b) / (square(b) / (count_of(before) - 1) + square(a) / (count_of(after) - 1));
    // equal runs have no variance, and no degrees of freedom
    const double differing = a + b > 0 ? student(degrees) * std::sqrt(a + b) : 0;
    // runs that agree by chance, or because a thing is rare, underestimate the noise
    below = above =
        std::max(differing, z_ * std::sqrt(counting_variance(before) + counting_variance(after)));
  } else {
    const Limits b = limits(before), a = limits(after);
    below = std::hypot(out.after - a.low, b.high - out.before);
    above = std::hypot(a.high - out.after, out.before - b.low);
  }
  out.low = out.change() - below;
  out.high = out.change() + above;
  return out;
}

}  // namespace aiflame::report
