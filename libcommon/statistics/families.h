// SPDX-License-Identifier: MIT
// Many comparisons at once: which changes of a list are beyond noise.
//
// To see the difficulty, consider a list of a thousand instructions of a program that was recorded
// twice and did not change. Each has an interval that contains its true change 95 times in 100. So
// fifty instructions are said to have changed, in every report, and a reader who believes them
// looks for causes that are not there.
//
// Comparisons are therefore judged together, as a family of m, at a level such as 0.05. Each has a
// p-value: the chance of a change this large where there is none. Benjamini and Hochberg (1995)
// sort them and take the largest number R of which all have p <= level * R / m. Without any true
// change this finds nothing in 1 - level of the reports. With true changes, the part `level` of
// what is found is false on average, and much more is found than by dividing the level by m alone.
//
// The interval of each row is then the one of confidence 1 - level * R / m (Benjamini and Yekutieli
// 2005). It excludes 0 exactly where the row was found, so that the interval, the mark and the
// order of a report never contradict each other.
//
// Three things need care:
//
// * Dependence. A kernel, its hottest line and its hottest instruction are nearly the same count.
//   Where tests depend on each other positively, as these do, the procedure errs to the safe side.
//   Shares (--normalize) depend negatively, since they sum to 1, but little; tests simulate both.
// * Rare things. A thing with three samples cannot be found however they fall, but it would count
//   in m, and a profile has thousands of them. By its samples of both sides together, which say
//   nothing about the change, each comparison has a least p-value. After Gilbert (2005) and Tarone
//   (1990) only those are tested whose least p-value can pass level / K, with the smallest K that
//   is at least their number.
// * Few runs. Five runs a side give Student's t about 8 degrees of freedom. A p of 0.00005 takes a
//   change of 8 standard errors there, rather than 4. To borrow the variance of other rows, as
//   analyses of genes do (Smyth 2004), would need rows that vary independently, and a slow run
//   slows all of them. So instead few comparisons come first: the whole and at most twenty kernels,
//   at three quarters of the level. If a kernel is found, what runs inside it is a family of its
//   own at the whole level (Yekutieli 2008): it cannot raise a report's first false alarm. All
//   else shares the last quarter, a family for each section. So a report without any true change is
//   clean in 1 - level of all cases.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "libcommon/statistics/change.h"

namespace aiflame {

// One family.
class ComparisonFamily {
 public:
  // `level`: the chance of a false alarm, above 0. 1: every change is beyond noise, as a point.
  explicit ComparisonFamily(double level) : level_(level), screen_(1 - level) {}

  // Adds a comparison; returns its number.
  size_t add(const Difference& difference);
  // Decides which changes are beyond noise. To be called once, after all were added.
  void decide();
  // How many comparisons were tested: the others have too few samples to be found in any case.
  size_t tested() const { return tested_; }
  // After decide(): its interval excludes 0 if it is beyond noise.
  Change change(size_t number) const;

 private:
  struct Entry {
    Difference difference;
    double p, least;
  };
  std::vector<Entry> entries_;
  double level_;
  Comparison screen_;  // only what this finds can be found at all
  size_t tested_ = 0;
  double least_tested_ = 0;  // those with a greater `least` are not tested
  std::optional<Comparison> of_tested_, of_others_;
};

}  // namespace aiflame
