// SPDX-License-Identifier: MIT
#include "libcommon/statistics/quantile.h"

#include <cmath>

namespace aiflame {
namespace {

// The continued fraction of the incomplete beta function, by Lentz's method (Press et al.,
// Numerical Recipes, 6.4): converges in O(sqrt(max(a, b))) steps for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kSteps = 100000;
  const auto away_from_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return fraction;
}

// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// The z where `outside`, which falls from 1 to 0, is `rest`.
template <typename Outside>
double bisect(double rest, Outside outside) {
  double low = 0, high = 1;
  while (outside(high) > rest && high < 1e12) high *= 2;
  // nobody reads more digits, and a report takes thousands of quantiles
  while (high - low > 1e-14 * high) {
    const double middle = low + (high - low) / 2;
    (outside(middle) > rest ? low : high) = middle;
  }
  return high;
}

}  // namespace

double normal_outside(double distance) {
  return std::erfc(distance / std::sqrt(2.0));
}

double student_outside(double distance, double degrees) {
  // above this the two agree in more digits than anyone reads
  if (degrees > 1e6) return normal_outside(distance);
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + distance * distance));
}

double normal_quantile(double share) {
  if (share <= 0) return 0;
  return bisect(1 - share, normal_outside);
}

double student_quantile(double share, double degrees) {
  if (share <= 0) return 0;
  return bisect(1 - share, [&](double t) { return student_outside(t, degrees); });
}

}  // namespace aiflame
