// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/slice.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

constexpr uint64_t kSlice = 10000;  // ns; slack between clocks (3000) is less

TimedSample sample_at(uint64_t time, uint32_t kernel = 1) {
  TimedSample sample;
  sample.time = time;
  sample.pid = 7;
  sample.kernel = kernel;
  sample.address = 0x1000;
  return sample;
}

Slices::Started launch(uint64_t instance, uint32_t number, uint64_t time, uint32_t kernel = 1,
                       uint64_t queue = 1) {
  Slices::Started started;
  started.pid = 7;
  started.instance = instance;
  started.number = number;
  started.kernel = kernel;
  started.queue = queue;
  started.time = time;
  return started;
}

std::vector<Slice> all_of(Slices& slices, uint64_t settled, bool all) {
  std::vector<Slice> out;
  Slice slice;
  while (slices.next(settled, all, slice)) out.push_back(slice);
  return out;
}

uint64_t samples_in(const std::vector<Slice>& slices) {
  uint64_t sum = 0;
  for (const Slice& slice : slices)
    for (const Slice::Part& part : slice.parts)
      for (const SampleGroup& group : part.groups) sum += group.sample.count;
  return sum;
}

TEST(Slices, SampleBelongsToTheLaunchThatRanThen) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 0));
  slices.started(launch(2, 2, 10));
  slices.sample(sample_at(1000));
  slices.sample(sample_at(7500));
  slices.done(7, 1, LaunchEnd::timed, 100, 2000);
  slices.done(7, 2, LaunchEnd::timed, 7000, 8000);
  const auto out = all_of(slices, kSlice, false);
  ASSERT_EQ(out.size(), 1u);
  ASSERT_EQ(out[0].parts.size(), 1u);
  ASSERT_EQ(out[0].parts[0].groups.size(), 2u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
  EXPECT_EQ(out[0].parts[0].groups[1].launch, 2u);
  EXPECT_EQ(out[0].launched.at(1).count, 1u);
  EXPECT_EQ(out[0].launched.at(1).busy_ns, 1900u);
  EXPECT_EQ(out[0].launched.at(2).busy_ns, 1000u);
}

TEST(Slices, WhatHasNoAddressIsToldApartByItsKernel) {
  Slices slices(0, kSlice);
  for (const uint32_t kernel : {5u, 0u, 5u}) {
    TimedSample sample = sample_at(1000, kernel);
    sample.address = 0;
    slices.sample(sample);
  }
  const auto out = all_of(slices, kSlice, true);
  ASSERT_EQ(out.size(), 1u);
  const std::vector<SampleGroup>& groups = out[0].parts[0].groups;
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].sample.count, 1u);
  EXPECT_EQ(groups[1].sample.kernel, 5u);
  EXPECT_EQ(groups[1].sample.count, 2u);
}

TEST(Slices, OverlapIsNotGuessed) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 0, 1, 1));
  slices.started(launch(2, 2, 0, 1, 2));
  slices.sample(sample_at(5000));
  slices.done(7, 1, LaunchEnd::timed, 0, 9000);
  slices.done(7, 2, LaunchEnd::timed, 1000, 9000);
  const auto out = all_of(slices, kSlice, false);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 0u);
}

TEST(Slices, OverlapOfOtherKernelsIsNoObstacle) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 0, 1, 1));
  slices.started(launch(2, 2, 0, 2, 2));
  slices.sample(sample_at(5000, 1));
  slices.sample(sample_at(5001, 2));
  slices.done(7, 1, LaunchEnd::timed, 0, 9000);
  slices.done(7, 2, LaunchEnd::timed, 1000, 9000);
  const auto out = all_of(slices, kSlice, false);
  ASSERT_EQ(out[0].parts[0].groups.size(), 2u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
  EXPECT_EQ(out[0].parts[0].groups[1].launch, 2u);
}

TEST(Slices, HeldUntilTheKernelHasEnded) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 0));
  slices.sample(sample_at(5000));
  EXPECT_TRUE(all_of(slices, 10 * kSlice, false).empty());
  slices.done(7, 1, LaunchEnd::timed, 0, 3 * kSlice);
  const auto out = all_of(slices, 10 * kSlice, false);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
  // the time is in the slices it was spent in, the launch in its first
  for (const Slice& slice : out) EXPECT_EQ(slice.launched.at(1).busy_ns, kSlice);
  EXPECT_EQ(out[0].launched.at(1).count, 1u);
  EXPECT_EQ(out[1].launched.at(1).count, 0u);
}

TEST(Slices, LaunchesQueuedBehindDoNotHoldEarlierSlices) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 0));
  slices.started(launch(2, 2, 1));
  slices.sample(sample_at(5000));
  slices.done(7, 1, LaunchEnd::timed, 0, kSlice);
  // in order, so launch 2 began after the first slice
  const auto out = all_of(slices, 2 * kSlice, false);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
}

TEST(Slices, OutOfOrderQueueHolds) {
  Slices slices(0, kSlice);
  auto second = launch(2, 2, 1);
  second.in_order = false;
  slices.started(second);
  slices.sample(sample_at(5000));
  EXPECT_TRUE(all_of(slices, 2 * kSlice, false).empty());
}

TEST(Slices, EndWithoutTimesMayBeAnywhereSinceTheLaunch) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 0));
  slices.sample(sample_at(5000));
  slices.process_gone(7, 9000);
  const auto out = all_of(slices, kSlice, false);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
  EXPECT_FALSE(out[0].launched.at(1).measured);
  EXPECT_EQ(slices.launches(), 1u);
}

TEST(Slices, FailedLaunchCountsNothing) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 0));
  slices.sample(sample_at(5000));
  slices.done(7, 1, LaunchEnd::failed, 0, 0);
  const auto out = all_of(slices, kSlice, false);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 0u);
  EXPECT_EQ(slices.launches(), 0u);
}

TEST(Slices, LostLaunchesMakeTheirSliceUnsure) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 0));
  slices.sample(sample_at(5000));
  slices.sample(sample_at(kSlice + 5000));
  slices.done(7, 1, LaunchEnd::timed, 0, 2 * kSlice);
  slices.launches_lost(7, 3000, 6000);
  const auto out = all_of(slices, 2 * kSlice, false);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 0u);
  EXPECT_EQ(out[1].parts[0].groups[0].launch, 1u);
}

TEST(Slices, ReadsAreTheSlicesOfSamplesWithoutATime) {
  Slices slices(1000, 0);
  slices.started(launch(1, 1, 1500));
  slices.sample(sample_at(3000));
  slices.cut(3001);
  slices.sample(sample_at(7000));
  slices.sample(sample_at(7000));
  EXPECT_TRUE(all_of(slices, 9000, false).empty());  // the launch has not ended
  slices.done(7, 1, LaunchEnd::timed, 2000, 5000);
  auto out = all_of(slices, 9000, false);
  ASSERT_EQ(out.size(), 1u);  // the second read has not
  EXPECT_EQ(out[0].start, 1000u);
  EXPECT_EQ(out[0].end, 3001u);
  EXPECT_EQ(out[0].launched.at(1).count, 1u);
  EXPECT_EQ(out[0].launched.at(1).busy_ns, 1001u);
  EXPECT_EQ(samples_in(out), 1u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 0u);  // it ran at some time of the read: not known
  slices.cut(7001);
  slices.cut(7001);
  slices.cut(6000);
  slices.sample(sample_at(7500));
  out = all_of(slices, 9000, true);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].start, 3001u);
  EXPECT_EQ(out[0].end, 7001u);
  EXPECT_EQ(out[0].launched.at(1).busy_ns, 1999u);
  EXPECT_EQ(samples_in(out), 3u);
  EXPECT_EQ(out[1].start, 7001u);
  EXPECT_EQ(out[1].end, 9000u);
}

TEST(Slices, ASourceThatKnowsASamplesLaunchIsBelieved) {
  Slices slices(0, 0);
  TimedSample known = sample_at(900);
  known.launch = 5;
  slices.sample(known);
  slices.sample(sample_at(900));
  slices.sample(known);
  slices.cut(1000);
  const std::vector<Slice> out = all_of(slices, 1000, false);
  ASSERT_EQ(out.size(), 1u);
  const std::vector<SampleGroup>& groups = out[0].parts[0].groups;
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].launch, 0u);
  EXPECT_EQ(groups[0].sample.count, 1u);
  EXPECT_EQ(groups[1].launch, 5u);
  EXPECT_EQ(groups[1].sample.count, 2u);
}

TEST(Slices, AReadThatIsWrittenBeforeItsLaunchEndedTellsOfIt) {
  Slices slices(0, 0);
  slices.started(launch(1, 1, 500));
  slices.started(launch(2, 1, 600));
  slices.sample(sample_at(900));
  slices.cut(1000);
  std::vector<Slice> out = all_of(slices, 1000, true);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].launched.at(1).count, 2u);
  EXPECT_FALSE(out[0].launched.at(1).measured);
  // its time goes to what is written later, and it is not counted again
  slices.sample(sample_at(1500));
  slices.cut(2000);
  slices.done(7, 1, LaunchEnd::timed, 700, 1300);
  slices.done(7, 2, LaunchEnd::untimed, 0, 1400);
  out = all_of(slices, 2000, false);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].launched.at(1).count, 0u);
  EXPECT_EQ(out[0].launched.at(1).busy_ns, 600u);
  EXPECT_EQ(slices.launches(), 2u);
}

TEST(Slices, ManyReadsThatBringNothing) {
  Slices slices(0, 0);
  slices.cut(10);
  slices.sample(sample_at(15));
  for (uint64_t i = 2; i < 100000; ++i) slices.cut(i * 10);
  auto out = all_of(slices, 1000000, false);
  ASSERT_EQ(out.size(), 1u);  // what is held keeps its bounds
  EXPECT_EQ(out[0].start, 10u);
  EXPECT_EQ(out[0].end, 20u);
  for (uint64_t i = 100000; i < 200000; ++i) slices.cut(i * 10);
  slices.sample(sample_at(25));  // told much too late
  slices.sample(sample_at(1999985));
  out = all_of(slices, 1999990, false);
  EXPECT_EQ(samples_in(out), 2u);
  EXPECT_EQ(out.back().start, 1999980u);
  EXPECT_EQ(out.back().end, 1999990u);
}

TEST(Slices, ObjectsKeepTheirPlaceAmongSamples) {
  Slices slices(0, kSlice);
  slices.sample(sample_at(1000));
  SliceEvent event;
  event.kind = SliceEvent::Kind::unload;
  event.time = 2000;
  slices.event(event);
  event.kind = SliceEvent::Kind::load;
  slices.event(event);
  slices.sample(sample_at(3000));
  const auto out = all_of(slices, kSlice, false);
  ASSERT_EQ(out[0].parts.size(), 2u);
  EXPECT_TRUE(out[0].parts[0].events.empty());
  EXPECT_EQ(out[0].parts[0].groups.size(), 1u);
  EXPECT_EQ(out[0].parts[1].events.size(), 2u);
  EXPECT_EQ(out[0].parts[1].groups.size(), 1u);
}

TEST(Slices, NothingIsLostHoweverItEnds) {
  Slices slices(0, kSlice);
  uint64_t in = 0;
  uint64_t busy = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    slices.started(launch(i + 1, 1 + static_cast<uint32_t>(i % 3), i * 700));
    slices.sample(sample_at(i * 700 + 50));
    slices.sample(sample_at(i * 700 + 650, 2));
    in += 2;
    if (i % 10 != 9) {
      slices.done(7, i + 1, LaunchEnd::timed, i * 700 + 10, i * 700 + 600);
      busy += 590;
    }
    if (i == 500) in += 0;
  }
  auto out = all_of(slices, 300000, false);
  const auto rest = all_of(slices, 0, true);
  out.insert(out.end(), rest.begin(), rest.end());
  EXPECT_EQ(samples_in(out), in);
  uint64_t busy_out = 0;
  uint64_t last = 0;
  for (const Slice& slice : out) {
    EXPECT_GE(slice.start, last);
    last = slice.end;
    for (const auto& [number, launched] : slice.launched) busy_out += launched.busy_ns;
  }
  EXPECT_EQ(busy_out, busy);
}

TEST(Slices, LateTimesGoToTheNextSlice) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 0));
  slices.sample(sample_at(5000));
  ASSERT_EQ(all_of(slices, 0, true).size(), 1u);  // written before it was complete
  slices.done(7, 1, LaunchEnd::timed, 0, kSlice + 500);
  const auto out = all_of(slices, 0, true);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].start, kSlice);
  EXPECT_EQ(out[0].launched.at(1).busy_ns, kSlice + 500);
  EXPECT_EQ(out[0].launched.at(1).count, 1u);
}

// Ends are told by the platform's threads, not always in the order they came about.
TEST(Slices, AnEndThatIsToldLateIsWaitedFor) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 0));
  slices.started(launch(2, 2, 10));
  slices.sample(sample_at(1000));
  slices.done(7, 2, LaunchEnd::timed, kSlice, 2 * kSlice);
  EXPECT_TRUE(all_of(slices, 2 * kSlice, false).empty());
  slices.done(7, 1, LaunchEnd::timed, 100, 2000);
  const auto out = all_of(slices, 2 * kSlice, false);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
}

// As after an exec, or from a process that lies: the same number again, on another queue.
TEST(Slices, AnInstanceStartedTwiceEndsTheFirst) {
  Slices slices(0, kSlice);
  slices.started(launch(1, 1, 100, 1, 1));
  slices.started(launch(1, 2, 200, 1, 2));
  slices.done(7, 1, LaunchEnd::timed, 300, 400);
  slices.done(7, 1, LaunchEnd::timed, 300, 400);
  EXPECT_EQ(slices.launches(), 2u);
  EXPECT_EQ(all_of(slices, kSlice, false).size(), 1u);
}

// Seconds of launches behind a kernel that does not end, and launches queued all at once: no sample
// looks at all of them.
TEST(Slices, ManyLaunchesHeldBackAreCheap) {
  constexpr uint64_t kLaunches = 300000;
  Slices slices(0, 100 * kSlice);
  slices.started(launch(1, 9, 0, 9, 9));
  for (uint64_t i = 2; i < kLaunches; ++i)
    slices.started(launch(i, static_cast<uint32_t>(1 + i % 5), i));
  uint64_t in = 0;
  for (uint64_t i = 2; i < kLaunches; ++i) {
    slices.done(7, i, LaunchEnd::timed, i * kSlice, (i + 1) * kSlice - 4000);
    slices.sample(sample_at(i * kSlice + 3500));
    ++in;
    ASSERT_TRUE(i % 1000 != 0 || all_of(slices, i * kSlice, false).empty());
  }
  slices.done(7, 1, LaunchEnd::timed, 0, kLaunches * kSlice);
  const auto out = all_of(slices, UINT64_MAX, false);
  EXPECT_EQ(samples_in(out), in);
  for (const Slice& slice : out)
    for (const SampleGroup& group : slice.parts[0].groups) ASSERT_NE(group.launch, 0u);
}

// What is held is bounded, also where there are launches alone.
TEST(Slices, AKernelThatDoesNotEndDoesNotHoldForEver) {
  Slices slices(0, 100 * kSlice);
  slices.started(launch(1, 9, 0, 9, 9));
  uint64_t instance = 1, written = 0;
  for (uint64_t time = kSlice; written == 0 && instance < 3000000; time += kSlice) {
    slices.started(launch(++instance, 1, time));
    slices.done(7, instance, LaunchEnd::timed, time, time + 10);
    if (instance % 1000 == 0) written += all_of(slices, time, false).size();
  }
  EXPECT_GT(written, 0u);
}

}  // namespace
}  // namespace aiflame::record
