// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/own_times.h"

#include <gtest/gtest.h>

#include "tools/stackcollapse-trace/join/nesting.h"

namespace aiflame::trace {
namespace {

void add(Trace& trace, std::string_view thread, int64_t start, int64_t end) {
  Slice slice;
  slice.thread = trace.threads.number("7", thread);
  slice.start = start;
  slice.end = end;
  trace.slices.push_back(slice);
}

std::vector<int64_t> sorted_own_times(Trace& trace) {
  const Nesting nesting(trace);
  return own_times(trace);
}

TEST(OwnTimes, AreWithoutWhatStandsOnThem) {
  Trace trace;
  add(trace, "1", 0, 100);
  add(trace, "1", 10, 40);
  add(trace, "1", 20, 30);
  add(trace, "1", 50, 60);
  add(trace, "1", 200, 210);
  EXPECT_EQ(sorted_own_times(trace), (std::vector<int64_t>{60, 20, 10, 10, 10}));
}

TEST(OwnTimes, WhatOutlastsItsParentKeepsItsTime) {
  Trace trace;
  add(trace, "1", 0, 100);
  add(trace, "1", 10, 20);
  add(trace, "1", 15, 80);
  add(trace, "1", 30, 40);
  EXPECT_EQ(sorted_own_times(trace), (std::vector<int64_t>{30, 5, 55, 10}));
  EXPECT_EQ(stack_time(trace, trace.slices[2]), 47);
  EXPECT_EQ(stack_time(trace, trace.slices[3]), 30);
}

TEST(OwnTimes, ThreadsAreApart) {
  Trace trace;
  add(trace, "1", 1000, 1100);
  add(trace, "2", 0, 50);
  add(trace, "2", 0, 0);
  EXPECT_EQ(sorted_own_times(trace), (std::vector<int64_t>{100, 50, 0}));
}

}  // namespace
}  // namespace aiflame::trace
