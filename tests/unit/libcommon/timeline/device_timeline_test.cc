// SPDX-License-Identifier: MIT
#include "libcommon/timeline/device_timeline.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace aiflame {
namespace {

constexpr WorkClass kComputes = WorkClass::computation, kCommunicates = WorkClass::communication,
                    kCopies = WorkClass::copy;

TEST(DeviceTimeline, TheDrawingInTheHeader) {
  const DeviceTimeline timeline = make_timeline({{0, 15, kComputes},
                                                 {26, 36, kComputes},
                                                 {6, 30, kCommunicates},
                                                 {12, 20, kCopies},
                                                 {40, 50, kCopies}});
  EXPECT_EQ(timeline.owned, (std::vector<uint64_t>{15, 10, 11, 0, 10}));
  EXPECT_EQ(timeline.window(), 50u);
  EXPECT_EQ(timeline.idle, 4u);
  ASSERT_EQ(timeline.gaps.size(), 1u);
  EXPECT_EQ(timeline.gaps[0].from, 36);
  EXPECT_EQ(timeline.gaps[0].to, 40);
  EXPECT_EQ(timeline.gaps[0].next, 4u);
  EXPECT_EQ(timeline_text(timeline, "idle"),
            "0.050 us: 0.025 us computation, 0.011 us exposed communication, 0.010 us exposed "
            "copies, 0.004 us idle");
}

TEST(DeviceTimeline, OfTwoAlikeTheLaterBeginsAndOwns) {
  // a loop and its body; two that begin at once
  EXPECT_EQ(make_timeline({{0, 10, kComputes}, {2, 5, kComputes}}).owned,
            (std::vector<uint64_t>{7, 3}));
  EXPECT_EQ(make_timeline({{0, 10, kComputes}, {0, 4, kComputes}}).owned,
            (std::vector<uint64_t>{6, 4}));
}

TEST(DeviceTimeline, WhatHasNoDurationOwnsNothingButWidensTheWindow) {
  const DeviceTimeline timeline =
      make_timeline({{5, 5, kComputes}, {7, 9, kCopies}, {12, 12, kCopies}});
  EXPECT_EQ(timeline.window(), 7u);
  EXPECT_EQ(timeline.idle, 5u);
  ASSERT_EQ(timeline.gaps.size(), 2u);
  EXPECT_EQ(timeline.gaps[0].next, 1u);
  EXPECT_EQ(timeline.gaps[1].next, DeviceGap::kNone);
  EXPECT_EQ(make_timeline({}).window(), 0u);
}

TEST(DeviceTimeline, TheWholeRangeOfTimes) {
  const DeviceTimeline timeline =
      make_timeline({{INT64_MIN, INT64_MIN + 1, kComputes}, {INT64_MAX - 1, INT64_MAX, kCopies}});
  EXPECT_EQ(timeline.window(), UINT64_MAX);
  EXPECT_EQ(timeline.idle, UINT64_MAX - 2);
}

// Against one that looks at every moment.
TEST(DeviceTimeline, EqualsAPlainCount) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<DeviceInterval> intervals(1 + random() % 12);
    for (DeviceInterval& one : intervals) {
      one.start = static_cast<int64_t>(random() % 40);
      one.end = one.start + static_cast<int64_t>(random() % 12);
      one.work_class = static_cast<WorkClass>(random() % 3);
    }
    const DeviceTimeline timeline = make_timeline(intervals);
    std::array<uint64_t, kWorkClasses + 1> expected{};
    for (int64_t at = timeline.from; at < timeline.to; ++at) {
      size_t best = kWorkClasses;
      for (const DeviceInterval& one : intervals)
        if (one.start <= at && at < one.end)
          best = std::min(best, static_cast<size_t>(one.work_class));
      ++expected[best];
    }
    for (size_t i = 0; i < kWorkClasses; ++i) EXPECT_EQ(timeline.classes[i], expected[i]);
    EXPECT_EQ(timeline.idle, expected[kWorkClasses]);
    uint64_t all = timeline.idle;
    for (size_t i = 0; i < intervals.size(); ++i) {
      EXPECT_LE(timeline.owned[i], nanoseconds_between(intervals[i].start, intervals[i].end));
      all += timeline.owned[i];
    }
    EXPECT_EQ(all, timeline.window());
  }
}

}  // namespace
}  // namespace aiflame
