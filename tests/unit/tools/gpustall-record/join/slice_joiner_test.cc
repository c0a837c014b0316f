// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/slice_joiner.h"

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

SliceJoiner::Started launch(uint64_t instance, uint32_t number, uint64_t time, uint32_t kernel = 1,
                            uint64_t queue = 1) {
  SliceJoiner::Started started;
  started.pid = 7;
  started.instance = instance;
  started.kind = number;
  started.kernel = kernel;
  started.queue = queue;
  started.time = time;
  return started;
}

std::vector<Slice> all_of(SliceJoiner& joiner, uint64_t settled, bool all) {
  std::vector<Slice> out;
  Slice slice;
  while (joiner.take_next(settled, all, slice)) out.push_back(slice);
  return out;
}

uint64_t samples_in(const std::vector<Slice>& slices) {
  uint64_t sum = 0;
  for (const Slice& slice : slices)
    for (const Slice::Part& part : slice.parts)
      for (const SampleGroup& group : part.groups) sum += group.sample.count;
  return sum;
}

uint64_t launches_in(const std::vector<Slice>& slices) {
  uint64_t sum = 0;
  for (const Slice& slice : slices)
    for (const auto& [kind, launched] : slice.launched) sum += launched.count;
  return sum;
}

// What is held, and what of it is lost, as the ledger expects it when nothing has been written.
std::string check(const SliceJoiner& joiner, const SampleLedger& ledger) {
  return ledger.check(joiner.holding());
}

MemoryChange change_at(uint64_t time, MemoryChange::Kind kind, uint64_t address = 1) {
  MemoryChange change;
  change.kind = kind;
  change.pid = 7;
  change.number = 1;
  change.time = time;
  change.address = address;
  change.bytes = 100;
  return change;
}

// Agents are read one after the other, so that changes do not come by time.
TEST(SliceJoiner, MemoryIsInItsSliceByTime) {
  using Kind = MemoryChange::Kind;
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.add_memory(change_at(300, Kind::freed, 1));
  joiner.add_memory(change_at(100, Kind::allocated, 1));
  joiner.add_memory(change_at(300, Kind::allocated, 2));
  joiner.add_memory(change_at(kSlice + 5, Kind::released));
  joiner.lose_memory(7, 3, LossCause::reported);
  EXPECT_EQ(joiner.holding().memory, 3u) << "that a process has ended is no change of its own";
  EXPECT_EQ(check(joiner, ledger), "");
  joiner.place_losses(kSlice + 6, 0, kSlice, true);
  EXPECT_EQ(joiner.holding().memory, 6u);
  EXPECT_EQ(check(joiner, ledger), "");
  const auto out = all_of(joiner, 2 * kSlice, false);
  ASSERT_EQ(out.size(), 2u);
  ASSERT_EQ(out[0].memory.size(), 3u);
  EXPECT_EQ(out[0].memory[0].time, 100u);
  EXPECT_EQ(out[0].memory[1].kind, Kind::freed) << "of one time, in their order";
  EXPECT_EQ(out[0].memory[2].address, 2u);
  ASSERT_EQ(out[1].memory.size(), 1u);
  EXPECT_EQ(out[1].memory[0].kind, Kind::released);
  ASSERT_EQ(out[1].parts[0].events.size(), 1u);
  EXPECT_EQ(out[1].parts[0].events[0].kind, SliceEvent::Kind::lost_memory);
  EXPECT_EQ(budgets.used(), 0u);
}

// What finds no room is lost, and said; the end of a process always has room.
TEST(SliceJoiner, MemoryIsBounded) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  constexpr uint64_t kMade = 2000000;
  for (uint64_t i = 0; i < kMade; ++i)
    joiner.add_memory(change_at(i % kSlice, MemoryChange::Kind::allocated, i));
  joiner.add_memory(change_at(1, MemoryChange::Kind::released));
  const uint64_t lost = ledger.lost(Counted::memory, LossCause::no_room);
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(joiner.holding().memory + lost, kMade);
  EXPECT_EQ(check(joiner, ledger), "");
  EXPECT_LE(budgets.used(), Budgets::total(Kept::slices));
  const auto out = all_of(joiner, kSlice, true);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].memory.size(), kMade - lost + 1);
}

// A launch's size keeps its count and its device time apart, but not its samples: they belong to
// the distinct launch, also where launches of two sizes overlap.
TEST(SliceJoiner, SizesAreCountedApart) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  for (uint32_t i = 1; i <= 4; ++i) {
    SliceJoiner::Started started = launch(i, 1, uint64_t{10} * i);
    started.kind.size = i % 2;
    joiner.start_launch(started);
  }
  joiner.add_sample(sample_at(1000));
  for (uint32_t i = 1; i <= 4; ++i)
    joiner.end_launch(7, i, LaunchEnd::timed, uint64_t{100} * i, 2000);
  const auto out = all_of(joiner, kSlice, false);
  ASSERT_EQ(out.size(), 1u);
  ASSERT_EQ(out[0].launched.size(), 2u);
  EXPECT_EQ(out[0].launched.at({1, 0}).count, 2u);
  EXPECT_EQ(out[0].launched.at({1, 1}).count, 2u);
  EXPECT_EQ(out[0].launched.at({1, 0}).busy_ns, 1800u + 1600u);
  EXPECT_EQ(out[0].launched.at({1, 1}).busy_ns, 1900u + 1700u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
  EXPECT_EQ(launches_in(out), 4u);
}

TEST(SliceJoiner, SampleBelongsToTheLaunchThatRanThen) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 0));
  joiner.start_launch(launch(2, 2, 10));
  joiner.add_sample(sample_at(1000));
  joiner.add_sample(sample_at(7500));
  joiner.end_launch(7, 1, LaunchEnd::timed, 100, 2000);
  joiner.end_launch(7, 2, LaunchEnd::timed, 7000, 8000);
  const auto out = all_of(joiner, kSlice, false);
  ASSERT_EQ(out.size(), 1u);
  ASSERT_EQ(out[0].parts.size(), 1u);
  ASSERT_EQ(out[0].parts[0].groups.size(), 2u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
  EXPECT_EQ(out[0].parts[0].groups[1].launch, 2u);
  EXPECT_EQ(out[0].launched.at(1).count, 1u);
  EXPECT_EQ(out[0].launched.at(1).busy_ns, 1900u);
  EXPECT_EQ(out[0].launched.at(2).busy_ns, 1000u);
}

TEST(SliceJoiner, SamplesWithoutAnAddressDifferByTheirKernel) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  for (const uint32_t kernel : {5u, 0u, 5u}) {
    TimedSample sample = sample_at(1000, kernel);
    sample.address = 0;
    joiner.add_sample(sample);
  }
  const auto out = all_of(joiner, kSlice, true);
  ASSERT_EQ(out.size(), 1u);
  const std::vector<SampleGroup>& groups = out[0].parts[0].groups;
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].sample.count, 1u);
  EXPECT_EQ(groups[1].sample.kernel, 5u);
  EXPECT_EQ(groups[1].sample.count, 2u);
}

TEST(SliceJoiner, OverlapIsNotGuessed) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 0, 1, 1));
  joiner.start_launch(launch(2, 2, 0, 1, 2));
  joiner.add_sample(sample_at(5000));
  joiner.end_launch(7, 1, LaunchEnd::timed, 0, 9000);
  joiner.end_launch(7, 2, LaunchEnd::timed, 1000, 9000);
  const auto out = all_of(joiner, kSlice, false);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 0u);
}

TEST(SliceJoiner, OverlapOfOtherKernelsIsNoObstacle) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 0, 1, 1));
  joiner.start_launch(launch(2, 2, 0, 2, 2));
  joiner.add_sample(sample_at(5000, 1));
  joiner.add_sample(sample_at(5001, 2));
  joiner.end_launch(7, 1, LaunchEnd::timed, 0, 9000);
  joiner.end_launch(7, 2, LaunchEnd::timed, 1000, 9000);
  const auto out = all_of(joiner, kSlice, false);
  ASSERT_EQ(out[0].parts[0].groups.size(), 2u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
  EXPECT_EQ(out[0].parts[0].groups[1].launch, 2u);
}

TEST(SliceJoiner, HeldUntilTheKernelHasEnded) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 0));
  joiner.add_sample(sample_at(5000));
  EXPECT_TRUE(all_of(joiner, 10 * kSlice, false).empty());
  joiner.end_launch(7, 1, LaunchEnd::timed, 0, 3 * kSlice);
  const auto out = all_of(joiner, 10 * kSlice, false);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
  // each slice has the device time that was spent in it; the first one counts the launch
  for (const Slice& slice : out) EXPECT_EQ(slice.launched.at(1).busy_ns, kSlice);
  EXPECT_EQ(out[0].launched.at(1).count, 1u);
  EXPECT_EQ(out[1].launched.at(1).count, 0u);
}

TEST(SliceJoiner, LaterLaunchesInAQueueDoNotHoldEarlierSlices) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 0));
  joiner.start_launch(launch(2, 2, 1));
  joiner.add_sample(sample_at(5000));
  joiner.end_launch(7, 1, LaunchEnd::timed, 0, kSlice);
  // in order, so launch 2 began after the first slice
  const auto out = all_of(joiner, 2 * kSlice, false);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
}

TEST(SliceJoiner, OutOfOrderQueueHolds) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  auto second = launch(2, 2, 1);
  second.in_order = false;
  joiner.start_launch(second);
  joiner.add_sample(sample_at(5000));
  EXPECT_TRUE(all_of(joiner, 2 * kSlice, false).empty());
}

TEST(SliceJoiner, EndWithoutTimesMayBeAnywhereSinceTheLaunch) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 0));
  joiner.add_sample(sample_at(5000));
  joiner.end_process(7, 9000);
  const auto out = all_of(joiner, kSlice, false);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
  EXPECT_FALSE(out[0].launched.at(1).measured);
  EXPECT_EQ(launches_in(out), 1u);
}

TEST(SliceJoiner, FailedLaunchCountsNothing) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 0));
  joiner.add_sample(sample_at(5000));
  joiner.end_launch(7, 1, LaunchEnd::failed, 0, 0);
  const auto out = all_of(joiner, kSlice, false);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 0u);
  EXPECT_EQ(launches_in(out), 0u);
}

TEST(SliceJoiner, LostLaunchesMakeTheirSliceUnsure) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 0));
  joiner.add_sample(sample_at(5000));
  joiner.add_sample(sample_at(kSlice + 5000));
  joiner.end_launch(7, 1, LaunchEnd::timed, 0, 2 * kSlice);
  joiner.mark_lost_launches(7, 3000, 6000);
  const auto out = all_of(joiner, 2 * kSlice, false);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 0u);
  EXPECT_EQ(out[1].parts[0].groups[0].launch, 1u);
}

TEST(SliceJoiner, ReadsAreTheSlicesOfSamplesWithoutATime) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(1000, 0, budgets, ledger);
  joiner.start_launch(launch(1, 1, 1500));
  joiner.add_sample(sample_at(3000));
  joiner.cut(3001);
  joiner.add_sample(sample_at(7000));
  joiner.add_sample(sample_at(7000));
  EXPECT_TRUE(all_of(joiner, 9000, false).empty());  // the launch has not ended
  joiner.end_launch(7, 1, LaunchEnd::timed, 2000, 5000);
  auto out = all_of(joiner, 9000, false);
  ASSERT_EQ(out.size(), 1u);  // the second read has not ended
  EXPECT_EQ(out[0].start, 1000u);
  EXPECT_EQ(out[0].end, 3001u);
  EXPECT_EQ(out[0].launched.at(1).count, 1u);
  EXPECT_EQ(out[0].launched.at(1).busy_ns, 1001u);
  EXPECT_EQ(samples_in(out), 1u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch,
            0u);  // it ran at some time during the read: unattributed
  joiner.cut(7001);
  joiner.cut(7001);
  joiner.cut(6000);
  joiner.add_sample(sample_at(7500));
  out = all_of(joiner, 9000, true);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].start, 3001u);
  EXPECT_EQ(out[0].end, 7001u);
  EXPECT_EQ(out[0].launched.at(1).busy_ns, 1999u);
  EXPECT_EQ(samples_in(out), 3u);
  EXPECT_EQ(out[1].start, 7001u);
  EXPECT_EQ(out[1].end, 9000u);
}

TEST(SliceJoiner, ASourceThatKnowsASamplesLaunchIsBelieved) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, 0, budgets, ledger);
  TimedSample known = sample_at(900);
  known.launch = 5;
  joiner.add_sample(known);
  joiner.add_sample(sample_at(900));
  joiner.add_sample(known);
  joiner.cut(1000);
  const std::vector<Slice> out = all_of(joiner, 1000, false);
  ASSERT_EQ(out.size(), 1u);
  const std::vector<SampleGroup>& groups = out[0].parts[0].groups;
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].launch, 0u);
  EXPECT_EQ(groups[0].sample.count, 1u);
  EXPECT_EQ(groups[1].launch, 5u);
  EXPECT_EQ(groups[1].sample.count, 2u);
}

TEST(SliceJoiner, AReadThatIsWrittenEarlyCountsItsOutstandingLaunches) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, 0, budgets, ledger);
  joiner.start_launch(launch(1, 1, 500));
  joiner.start_launch(launch(2, 1, 600));
  joiner.add_sample(sample_at(900));
  joiner.cut(1000);
  std::vector<Slice> out = all_of(joiner, 1000, true);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].launched.at(1).count, 2u);
  EXPECT_FALSE(out[0].launched.at(1).measured);
  // its time goes to the next slice, and it is not counted again
  joiner.add_sample(sample_at(1500));
  joiner.cut(2000);
  joiner.end_launch(7, 1, LaunchEnd::timed, 700, 1300);
  joiner.end_launch(7, 2, LaunchEnd::untimed, 0, 1400);
  out = all_of(joiner, 2000, false);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].launched.at(1).count, 0u);
  EXPECT_EQ(out[0].launched.at(1).busy_ns, 600u);
}

TEST(SliceJoiner, ManyEmptyReads) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, 0, budgets, ledger);
  joiner.cut(10);
  joiner.add_sample(sample_at(15));
  for (uint64_t i = 2; i < 100000; ++i) joiner.cut(i * 10);
  auto out = all_of(joiner, 1000000, false);
  ASSERT_EQ(out.size(), 1u);  // a slice that is held keeps its bounds
  EXPECT_EQ(out[0].start, 10u);
  EXPECT_EQ(out[0].end, 20u);
  for (uint64_t i = 100000; i < 200000; ++i) joiner.cut(i * 10);
  joiner.add_sample(sample_at(25));  // reported much too late
  joiner.add_sample(sample_at(1999985));
  out = all_of(joiner, 1999990, false);
  EXPECT_EQ(samples_in(out), 2u);
  EXPECT_EQ(out.back().start, 1999980u);
  EXPECT_EQ(out.back().end, 1999990u);
}

TEST(SliceJoiner, ObjectsKeepTheirPlaceAmongSamples) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.add_sample(sample_at(1000));
  SliceEvent event;
  event.kind = SliceEvent::Kind::unload;
  event.time = 2000;
  joiner.add_event(event);
  event.kind = SliceEvent::Kind::load;
  joiner.add_event(event);
  joiner.add_sample(sample_at(3000));
  const auto out = all_of(joiner, kSlice, false);
  ASSERT_EQ(out[0].parts.size(), 2u);
  EXPECT_TRUE(out[0].parts[0].events.empty());
  EXPECT_EQ(out[0].parts[0].groups.size(), 1u);
  EXPECT_EQ(out[0].parts[1].events.size(), 2u);
  EXPECT_EQ(out[0].parts[1].groups.size(), 1u);
}

TEST(SliceJoiner, NothingIsLostHoweverItEnds) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  uint64_t in = 0;
  uint64_t busy = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    joiner.start_launch(launch(i + 1, 1 + static_cast<uint32_t>(i % 3), i * 700));
    joiner.add_sample(sample_at(i * 700 + 50));
    joiner.add_sample(sample_at(i * 700 + 650, 2));
    in += 2;
    if (i % 10 != 9) {
      joiner.end_launch(7, i + 1, LaunchEnd::timed, i * 700 + 10, i * 700 + 600);
      busy += 590;
    }
  }
  auto out = all_of(joiner, 300000, false);
  const auto rest = all_of(joiner, 0, true);
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

TEST(SliceJoiner, LateTimesGoToTheNextSlice) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 0));
  joiner.add_sample(sample_at(5000));
  ASSERT_EQ(all_of(joiner, 0, true).size(), 1u);  // written before it was complete
  joiner.end_launch(7, 1, LaunchEnd::timed, 0, kSlice + 500);
  const auto out = all_of(joiner, 0, true);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].start, kSlice);
  EXPECT_EQ(out[0].launched.at(1).busy_ns, kSlice + 500);
  EXPECT_EQ(out[0].launched.at(1).count, 1u);
}

// The platform's threads may report ends out of order.
TEST(SliceJoiner, AnEndThatIsReportedLateIsWaitedFor) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 0));
  joiner.start_launch(launch(2, 2, 10));
  joiner.add_sample(sample_at(1000));
  joiner.end_launch(7, 2, LaunchEnd::timed, kSlice, 2 * kSlice);
  EXPECT_TRUE(all_of(joiner, 2 * kSlice, false).empty());
  joiner.end_launch(7, 1, LaunchEnd::timed, 100, 2000);
  const auto out = all_of(joiner, 2 * kSlice, false);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].parts[0].groups[0].launch, 1u);
}

// After an exec, or in a process that lies, the same instance number comes again, on another queue.
TEST(SliceJoiner, AnInstanceStartedTwiceEndsTheFirst) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 1, 100, 1, 1));
  joiner.start_launch(launch(1, 2, 200, 1, 2));
  joiner.end_launch(7, 1, LaunchEnd::timed, 300, 400);
  joiner.end_launch(7, 1, LaunchEnd::timed, 300, 400);
  EXPECT_EQ(joiner.holding().launches, 2u);
  EXPECT_EQ(all_of(joiner, kSlice, false).size(), 1u);
}

// Launches pile up for seconds while a kernel does not end, or are queued all at once. No sample
// may search through all of them.
TEST(SliceJoiner, ManyLaunchesHeldBackAreCheap) {
  constexpr uint64_t kLaunches = 50000;
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, 100 * kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 9, 0, 9, 9));
  for (uint64_t i = 2; i < kLaunches; ++i)
    joiner.start_launch(launch(i, static_cast<uint32_t>(1 + i % 5), i));
  uint64_t in = 0;
  for (uint64_t i = 2; i < kLaunches; ++i) {
    joiner.end_launch(7, i, LaunchEnd::timed, i * kSlice, (i + 1) * kSlice - 4000);
    joiner.add_sample(sample_at(i * kSlice + 3500));
    ++in;
    ASSERT_TRUE(i % 1000 != 0 || all_of(joiner, i * kSlice, false).empty());
  }
  joiner.end_launch(7, 1, LaunchEnd::timed, 0, kLaunches * kSlice);
  const auto out = all_of(joiner, UINT64_MAX, false);
  EXPECT_EQ(samples_in(out), in);
  for (const Slice& slice : out)
    for (const SampleGroup& group : slice.parts[0].groups) ASSERT_NE(group.launch, 0u);
}

// Memory is bounded, even when there are only launches.
TEST(SliceJoiner, AKernelThatDoesNotEndDoesNotHoldForEver) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, 100 * kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 9, 0, 9, 9));
  uint64_t instance = 1, written = 0;
  for (uint64_t time = kSlice; written == 0 && instance < 3000000; time += kSlice) {
    joiner.start_launch(launch(++instance, 1, time));
    joiner.end_launch(7, instance, LaunchEnd::timed, time, time + 10);
    if (instance % 1000 == 0) written += all_of(joiner, time, false).size();
  }
  EXPECT_GT(written, 0u);
}

// ---- budgets -----------------------------------------------------------------------------------

TEST(SliceJoiner, SamplesOverTheBudgetAreLostByNameAndRoomComesBack) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  uint64_t taken = 0;
  TimedSample sample;
  sample.pid = 1;
  while (ledger.lost(Counted::samples, LossCause::no_room) == 0) {
    joiner.add_sample(sample);
    ++taken;
  }
  --taken;
  EXPECT_GT(taken, 100000u);
  EXPECT_LT(taken * sizeof(TimedSample), size_t{48} << 20);
  EXPECT_EQ(joiner.holding().samples, taken);
  // another process still has room
  sample.pid = 2;
  joiner.add_sample(sample);
  EXPECT_EQ(joiner.holding().samples, taken + 1);
  EXPECT_EQ(check(joiner, ledger), "");
  Slice slice;
  ASSERT_TRUE(joiner.take_next(kSlice, true, slice));
  EXPECT_EQ(slice.parts.at(0).groups.at(0).sample.count, taken);
  EXPECT_EQ(budgets.used(Kept::slices), 0u);
  std::map<uint32_t, uint64_t> lost;  // by process
  ledger.place_losses([&](const SampleLedger::Key& key, uint64_t count) {
    lost[key.pid] += count;
    return true;
  });
  EXPECT_EQ(lost, (std::map<uint32_t, uint64_t>{{1, 1}}));
  EXPECT_EQ(budgets.used(), 0u);
}

TEST(SliceJoiner, LaunchesThatDoNotEndAreCountedBeyondTheBudget) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  constexpr uint64_t kMade = 300000;
  for (uint64_t i = 1; i <= kMade; ++i) joiner.start_launch(launch(i, 7, 100));
  EXPECT_LE(budgets.used(Kept::open_launches), Budgets::total(Kept::open_launches));
  EXPECT_EQ(joiner.holding().launches, kMade);
  joiner.end_process(7, kSlice / 2);
  uint64_t counted = 0;
  for (const Slice& slice : all_of(joiner, 10 * kSlice, true))
    for (const auto& [number, launched] : slice.launched) counted += launched.count;
  EXPECT_EQ(counted, kMade);
  EXPECT_EQ(ledger.lost(Counted::launches, LossCause::no_room), 0u);
  EXPECT_EQ(budgets.used(Kept::open_launches), 0u);
}

// One that is not followed may have been running, so samples stay without a launch.
TEST(SliceJoiner, ALaunchThatIsNotFollowedMakesItsSliceUnsure) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  joiner.start_launch(launch(1, 7, 100));
  joiner.end_launch(7, 1, LaunchEnd::timed, 100, 5000);
  ASSERT_TRUE(budgets.take(Kept::open_launches, 7, Budgets::total(Kept::open_launches) * 9 / 16));
  joiner.start_launch(launch(2, 8, 200));
  joiner.add_sample(sample_at(1000));
  const std::vector<Slice> slices = all_of(joiner, 10 * kSlice, true);
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].parts.at(0).groups.at(0).launch, 0u);
  EXPECT_FALSE(slices[0].launched.at(8).measured);
}

TEST(SliceJoiner, LossesWaitForRoomAndAreNotLost) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  SliceJoiner joiner(0, kSlice, budgets, ledger);
  // fills the budget with records of losses
  uint64_t lost_so_far = 0;
  for (uint64_t before = UINT64_MAX; budgets.used(Kept::slices) != before;) {
    before = budgets.used(Kept::slices);
    joiner.add_lost_samples(5, 1, 0, 1);
    ++lost_so_far;
  }
  EXPECT_GT(lost_so_far, 1000u);
  EXPECT_GT(budgets.used(Kept::losses), 0u);
  joiner.add_lost_samples(5, 1, 0, 16);
  joiner.add_lost_samples(5, 1, 0, UINT64_MAX);
  EXPECT_EQ(check(joiner, ledger), "");
  joiner.place_losses(5, 0, 5, false);
  EXPECT_GT(budgets.used(Kept::losses), 0u);
  joiner.place_losses(5, 0, 5, true);
  EXPECT_EQ(budgets.used(Kept::losses), 0u);
  EXPECT_EQ(check(joiner, ledger), "");
  Slice slice;
  ASSERT_TRUE(joiner.take_next(kSlice, true, slice));
  uint64_t lost = 0, unknown = 0;
  for (const Slice::Part& part : slice.parts)
    for (const SliceEvent& event : part.events)
      if (event.count == UINT64_MAX)
        ++unknown;
      else
        lost += event.count;
  EXPECT_EQ(lost, lost_so_far + 16);
  EXPECT_EQ(unknown, 1u);
}

}  // namespace
}  // namespace aiflame::record
