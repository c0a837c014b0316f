// SPDX-License-Identifier: MIT
// The change of a count between two sides, and how much of it may be noise.
#pragma once

#include <vector>

namespace aiflame::report {

// The measurements of one side: a count for each run.
struct Measured {
  std::vector<double> runs;
  // What one sample adds to a count, after any scaling. It determines the noise of counting.
  double sample = 1;

  double mean() const;
};

struct Change {
  double before = 0, after = 0;  // means
  double low = 0, high = 0;      // the confidence interval of the change

  double change() const { return after - before; }
  // The interval does not contain 0.
  bool beyond_noise() const { return low > 0 || high < 0; }
};

class Comparison {
 public:
  // `confidence`: 0 to less than 1. 0 makes every interval a point.
  explicit Comparison(double confidence);

  // With two or more runs on both sides, this is Welch's interval, from the variance of the runs,
  // but never narrower than the noise of counting samples. A side of one run has only the noise of
  // counting: Poisson's limits, by Byar's approximation. Zou and Donner's method (MOVER) joins the
  // limits of the two sides.
  Change compare(const Measured& before, const Measured& after) const;

 private:
  struct Limits {
    double low, high;
  };
  double student(double degrees) const;
  Limits limits(const Measured& side) const;

  double confidence_;
  double z_;
  mutable std::vector<double> student_;  // by whole degrees of freedom; 0: not computed yet
};

}  // namespace aiflame::report
