// SPDX-License-Identifier: MIT
// The change of a count between two sides, and how much of it may be chance.
#pragma once

#include <vector>

namespace aiflame::report {

// What was measured on one side: a count for each run.
struct Measured {
  std::vector<double> runs;
  // What one sample adds to a count, after any scaling: the noise of counting is made of these.
  double sample = 1;

  double mean() const;
};

struct Change {
  double before = 0, after = 0;  // means
  double low = 0, high = 0;      // of the change: the interval of the confidence asked for

  double change() const { return after - before; }
  // The interval does not hold 0.
  bool beyond_noise() const { return low > 0 || high < 0; }
};

class Comparison {
 public:
  // `confidence`: 0 to less than 1. 0 makes every interval a point.
  explicit Comparison(double confidence);

  // With two runs or more on both sides: Welch's interval, from how much the runs differ, but never
  // from less than the noise of counting samples. A side of one run has only that noise, Poisson's
  // (Byar's approximation of its exact limits), and the two sides' limits are joined by Zou and
  // Donner's method (MOVER).
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
