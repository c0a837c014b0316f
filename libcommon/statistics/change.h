// SPDX-License-Identifier: MIT
// The change of a count between two sides, and how much of it may be noise.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace aiflame {

// How much a count varies, as an estimate from few values shows it. 0 degrees: nothing is known.
struct Spread {
  double variance = 0;
  double degrees = 0;  // of freedom of the estimate
};

// The measurements of one side: a count for each run.
struct Measured {
  std::vector<double> runs;
  // What one sample adds to a count, after any scaling. It determines the noise of counting. 0:
  // nothing was sampled, or not that is known. Then only what runs or slices show is noise.
  double sample = 1;
  Spread slices{};  // of the count of a single run, from its slices of time

  double mean() const;
};

struct Change {
  double before = 0, after = 0;  // means
  // The confidence interval of the change; infinite where its noise is not known.
  double low = 0, high = 0;

  double change() const { return after - before; }
  // Otherwise it is neither noise nor real.
  bool is_noise_known() const { return std::isfinite(low); }
  // The interval does not contain 0.
  bool beyond_noise() const { return low > 0 || high < 0; }
};

// Two means and what is known of their noise, before a confidence is chosen.
struct Difference {
  double before = 0, after = 0;
  // The variance of the change, as the runs differ (or, of single runs, their slices).
  Spread spread{};
  double counting = 0;  // the same from counting samples alone
  // What one sample counts, by side, where both sides have one run: counting is then Poisson's.
  double sample[2] = {0, 0};
  double samples = 0;  // of both sides; where nothing was sampled, their counts
  bool sampled = true;
  double share = 0.5;  // of the runs, those of the side with fewer

  // Without samples, runs that are equal to the last count say nothing about noise either.
  bool is_noise_known() const { return sampled || spread.variance > 0; }
};

// With two or more runs on both sides the spread is Welch's. A side of one run is taken to spread
// like the other side's runs. Without any, its slices say how it spreads, if there are some.
Difference difference(const Measured& before, const Measured& after);

// The p-value: the chance that a change this large is seen where there is none. A change is beyond
// noise at a confidence if its p-value is less than 1 - confidence.
double p_value(const Difference& difference);

// The least p-value that so many samples could have given: all of them on one side. 1 where the
// noise is not known, and 0 of what was measured.
double least_p_value(const Difference& difference);

class Comparison {
 public:
  // `confidence`: 0 to less than 1. 0 makes every interval a point.
  explicit Comparison(double confidence);

  // Student's interval from the spread, but never narrower than the noise of counting samples, if
  // there are any. That
  // is normal or, between two single runs, Poisson's: Byar's approximation gives the limits of a
  // side, and Zou and Donner's method (MOVER) joins them.
  Change interval(const Difference& difference) const;
  Change compare(const Measured& before, const Measured& after) const {
    return interval(difference(before, after));
  }

 private:
  double student(double degrees) const;

  double confidence_;
  double z_;
  mutable std::vector<double> student_;  // by degrees of freedom; 0: not computed yet
};

}  // namespace aiflame
