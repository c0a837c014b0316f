// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/missing_samples.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

CaptureTotals launched(uint64_t launches, uint64_t busy_ns, uint64_t source_objects) {
  CaptureTotals totals;
  totals.launches = launches;
  totals.busy_ns = busy_ns;
  totals.source_objects = source_objects;
  return totals;
}

const Expected kCpu{1, "opencl-cpu", true, 1003009};

TEST(MissingSamples, NothingIsSaidWhenNothingIsMissing) {
  CaptureTotals totals = launched(3, 1000, 1);
  totals.samples = 1;
  EXPECT_EQ(what_is_missing(totals, kCpu), "");
  EXPECT_EQ(what_is_missing(launched(3, 1000, 0), {1, "", false, 0}), "");
  EXPECT_EQ(what_is_missing(CaptureTotals(), {0, "opencl-cpu", true, 1003009}), "");
}

TEST(MissingSamples, WhatAnAgentSaidNeedsNoGuess) {
  CaptureTotals totals;
  EXPECT_NE(what_is_missing(totals, kCpu), "");
  totals.complaints = 1;
  EXPECT_EQ(what_is_missing(totals, kCpu), "");
}

TEST(MissingSamples, LossesThatAreCountedNeedNoGuess) {
  CaptureTotals totals = launched(3, 1000, 1);
  totals.lost_unknown = 1;
  EXPECT_EQ(what_is_missing(totals, kCpu), "");
  totals = CaptureTotals();
  totals.turned_away = 1;
  EXPECT_EQ(what_is_missing(totals, kCpu), "");
}

TEST(MissingSamples, ProgramsThatLaunchNothing) {
  EXPECT_EQ(what_is_missing(CaptureTotals(), kCpu),
            "no launches: the program that loaded an agent launched no kernel");
  EXPECT_EQ(what_is_missing(CaptureTotals(), {4, "xe", false, 0}),
            "no launches: none of the 4 programs that loaded an agent launched a kernel");
}

TEST(MissingSamples, LaunchesOnAnotherDevice) {
  EXPECT_EQ(what_is_missing(launched(3, 9000000000, 0), kCpu),
            "no samples: the kernels ran on no device of source 'opencl-cpu'; see --list");
}

TEST(MissingSamples, KernelsThatAreTooShort) {
  EXPECT_EQ(what_is_missing(launched(3, 420000, 1), kCpu),
            "no samples: the kernels ran for 420.0 us in all, and one is taken each 1.003 ms; see "
            "--period");
  EXPECT_EQ(
      what_is_missing(launched(3, 90000000, 1), kCpu),
      "no samples: source 'opencl-cpu' gave none, though the kernels ran for 90.00 ms in all");
  EXPECT_EQ(what_is_missing(launched(3, 0, 0), {1, "xe", false, 0}),
            "no samples: source 'xe' gave none; how long the kernels ran is not known");
}

}  // namespace
}  // namespace aiflame::record
