// SPDX-License-Identifier: MIT
#include "libcommon/attribution/launch_timeline.h"

#include <gtest/gtest.h>

#include <map>

namespace aiflame {
namespace {

constexpr uint64_t kMs = 1000000;

std::map<uint32_t, uint64_t> between(LaunchTimeline& events, uint64_t from, uint64_t to) {
  std::map<uint32_t, uint64_t> out;
  events.each(from, to, [&](uint32_t launch, uint64_t count) { out[launch] += count; });
  return out;
}

TEST(LaunchTimeline, LaunchesAreCountedByTheMillisecond) {
  LaunchTimeline events;
  events.add(7, 1, 1, 0, 25 * kMs);
  events.add(7, 1, 1, 0, 10 * kMs);
  events.add(7, 1, 2, 0, 10 * kMs + 5);
  events.add(7, 1, 1, 0, 10 * kMs + 9);
  events.add(-1, 1, 1, 0, 20 * kMs - 1);
  events.add(7, 1, 1, 0, std::nullopt);
  ASSERT_EQ(events.launches().size(), 4u);
  EXPECT_EQ(events.launches()[2].pid, -1);
  EXPECT_EQ(events.untimed(), (std::vector<uint32_t>{3}));
  using Counts = std::map<uint32_t, uint64_t>;
  EXPECT_EQ(between(events, 10 * kMs, 20 * kMs), (Counts{{0, 2}, {1, 1}, {2, 1}}));
  EXPECT_EQ(between(events, 20 * kMs, 25 * kMs), Counts());
  EXPECT_EQ(between(events, 20 * kMs, 25 * kMs + 1), (Counts{{0, 1}}));
  EXPECT_EQ(between(events, 5, 5), Counts());
  EXPECT_EQ(between(events, 0, UINT64_MAX), (Counts{{0, 3}, {1, 1}, {2, 1}}));
}

TEST(LaunchTimeline, AnyNumberOfThemTakesBoundedMemoryAndNoneIsLost) {
  constexpr uint64_t kSteps = 300000;
  LaunchTimeline events(1000);
  for (uint64_t i = 0; i < kSteps; ++i) events.add(7, 1, static_cast<uint32_t>(i % 3), 0, i * kMs);
  size_t calls = 0;
  uint64_t sum = 0;
  events.each(0, UINT64_MAX, [&](uint32_t, uint64_t count) {
    ++calls;
    sum += count;
  });
  EXPECT_EQ(sum, kSteps);
  EXPECT_LE(calls, 1000u);
  // they keep their time
  EXPECT_NEAR(static_cast<double>(between(events, 0, kSteps / 2 * kMs)[1]), kSteps / 6.0,
              kSteps / 100.0);
}

}  // namespace
}  // namespace aiflame
