// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/nesting.h"

#include <gtest/gtest.h>

#include "tools/stackcollapse-trace/join/backward.h"
#include "tools/stackcollapse-trace/join/launches.h"
#include "tools/stackcollapse-trace/join/main_threads.h"

namespace aiflame::trace {
namespace {

// A trace whose slices have their names as frames: the number of a letter.
struct Hand {
  Trace trace;

  Slice& add(char name, std::string_view thread, int64_t start, int64_t end, Kind kind = Kind::op) {
    Slice slice;
    slice.frame = static_cast<uint32_t>(name);
    slice.thread = trace.threads.number("7", thread);
    slice.start = start;
    slice.end = end;
    slice.kind = kind;
    trace.slices.push_back(slice);
    return trace.slices.back();
  }
  std::string stack(const Nesting& nesting, std::string_view thread, int64_t time) {
    const uint32_t slice = nesting.innermost(trace.threads.number("7", thread), time);
    std::string out;
    if (slice == kNoNumber) return out;
    std::vector<uint32_t> stack;
    nesting.stack_at(slice, time, stack);
    for (const uint32_t one : stack) out += static_cast<char>(trace.slices[one].frame);
    return out;
  }
};

TEST(Nesting, WhatHasBegunAndNotEnded) {
  Hand hand;
  hand.add('c', "7", 20, 30);
  hand.add('a', "7", 0, 100);
  hand.add('b', "7", 10, 50);
  hand.add('d', "7", 50, 60);
  hand.add('x', "8", 0, 100);
  const Nesting nesting(hand.trace);
  EXPECT_EQ(hand.stack(nesting, "7", 25), "abc");
  EXPECT_EQ(hand.stack(nesting, "7", 30), "ab");
  EXPECT_EQ(hand.stack(nesting, "7", 50), "ad");
  EXPECT_EQ(hand.stack(nesting, "7", 99), "a");
  EXPECT_EQ(hand.stack(nesting, "7", 100), "");
  EXPECT_EQ(hand.stack(nesting, "8", 25), "x");
}

TEST(Nesting, OverlapsStandOnEachOtherWhileBothLast) {
  Hand hand;
  hand.add('a', "7", 0, 10);
  hand.add('b', "7", 5, 20);
  hand.add('c', "7", 12, 15);
  const Nesting nesting(hand.trace);
  EXPECT_EQ(hand.stack(nesting, "7", 7), "ab");
  EXPECT_EQ(hand.stack(nesting, "7", 13), "bc");
  EXPECT_EQ(nesting.next_start(hand.trace.threads.number("7", "7"), 5), 12);
  EXPECT_EQ(nesting.next_start(hand.trace.threads.number("7", "7"), 12), INT64_MAX);
}

TEST(Nesting, EqualTimesAreOrderedByKindAndPythonsNumbers) {
  Hand hand;
  hand.add('r', "7", 0, 10, Kind::runtime);
  hand.add('o', "7", 0, 10, Kind::op);
  hand.add('m', "7", 0, 10, Kind::module).id = 2;
  hand.add('p', "7", 0, 10, Kind::python).id = 1;
  hand.add('s', "7", 0, 10, Kind::range);
  const Nesting nesting(hand.trace);
  EXPECT_EQ(hand.stack(nesting, "7", 0), "spmor");
}

TEST(Nesting, DepthIsBounded) {
  Hand hand;
  for (int i = 0; i < 10000; ++i) hand.add('a', "7", i, 100000 - i);
  const Nesting nesting(hand.trace);
  EXPECT_LE(hand.stack(nesting, "7", 20000).size(), Nesting::kMaxDepth + 1);
}

TEST(Launches, OfEqualCorrelationsTheLatestThatIsNotLater) {
  Hand hand;
  hand.add('a', "7", 0, 1, Kind::runtime).id = 5;
  hand.add('b', "7", 10, 11, Kind::runtime).id = 5;
  hand.add('c', "7", 90, 91, Kind::runtime).id = 5;
  const Nesting nesting(hand.trace);
  const Launches launches(hand.trace, nesting);
  Work work;
  work.correlation = 5;
  work.start = 50;
  EXPECT_EQ(launches.find(work).time, 10);
  work.start = -1;  // clocks may differ
  EXPECT_EQ(launches.find(work).time, 0);
  work.correlation = 6;
  EXPECT_EQ(launches.find(work).slice, kNoNumber);
}

TEST(Backward, TheLastForwardOperatorOfANumber) {
  Hand hand;
  hand.add('f', "7", 0, 10).sequence = 90;
  hand.add('g', "7", 1, 9).sequence = 90;
  hand.add('h', "7", 50, 60).sequence = 90;  // of a later step, whose numbers begin anew
  Slice& backward = hand.add('b', "9", 20, 30);
  backward.sequence = 90;
  backward.backward = true;
  const Nesting nesting(hand.trace);
  const Backward joined(hand.trace, nesting);
  const uint32_t slice = nesting.innermost(hand.trace.threads.number("7", "9"), 20);
  const uint32_t forward = joined.forward_of(slice);
  ASSERT_NE(forward, kNoNumber);
  EXPECT_EQ(hand.trace.slices[forward].frame, static_cast<uint32_t>('g'));
  EXPECT_EQ(joined.forward_of(forward), kNoNumber);
}

TEST(Backward, ArrowsSayTheSame) {
  Hand hand;
  hand.add('f', "7", 0, 10);
  hand.add('b', "9", 20, 30);
  hand.trace.forward.starts.push_back({1, 0, hand.trace.threads.number("7", "7")});
  hand.trace.forward.ends.push_back({1, 20, hand.trace.threads.number("7", "9")});
  const Nesting nesting(hand.trace);
  const Backward joined(hand.trace, nesting);
  const uint32_t slice = nesting.innermost(hand.trace.threads.number("7", "9"), 20);
  const uint32_t forward = joined.forward_of(slice);
  ASSERT_NE(forward, kNoNumber);
  EXPECT_EQ(hand.trace.slices[forward].frame, static_cast<uint32_t>('f'));
}

TEST(MainThreads, ThatWhichRunsPython) {
  Hand hand;
  hand.add('a', "7", 0, 10);
  hand.add('p', "9", 0, 5, Kind::python);
  const Nesting nesting(hand.trace);
  const auto mains = find_main_threads(hand.trace, nesting);
  const uint32_t nine = hand.trace.threads.number("7", "9");
  EXPECT_EQ(mains[hand.trace.threads.number("7", "7")], nine);
  // of several, the first of its process
  Hand both;
  both.add('a', "7", 0, 1, Kind::python);
  both.add('p', "9", 0, 5, Kind::python);
  const Nesting of_both(both.trace);
  EXPECT_EQ(find_main_threads(both.trace, of_both)[both.trace.threads.number("7", "9")],
            both.trace.threads.number("7", "7"));
}

}  // namespace
}  // namespace aiflame::trace
