// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/device_times.h"

#include <gtest/gtest.h>

#include <random>

namespace aiflame::record {
namespace {

constexpr uint32_t kPid = 7, kTid = 8;

class Times : public testing::Test {
 protected:
  // A run of launch `number`, whose call lasted from `called` to `returned`.
  void run(uint32_t number, uint64_t begin, uint64_t end, uint64_t called, uint64_t returned,
           WorkClass work_class = WorkClass::computation, uint32_t device = 0) {
    ASSERT_TRUE(budgets.take(Kept::runs, kPid, DeviceTimes::kRunBytes));
    times.add_call(kPid, kTid, {called, returned, number, HostPhase::calls});
    times.add_run(device, {begin, end, called, returned, kPid, kTid, number, work_class});
  }
  uint64_t idle(IdleKind kind, uint32_t number, uint32_t device = 0) const {
    const auto found = out.idle.find({device, kind, number});
    return found == out.idle.end() ? 0 : found->second.ns;
  }
  uint64_t hidden(uint32_t number) const {
    const auto found = out.hidden.find(number);
    return found == out.hidden.end() ? 0 : found->second;
  }

  Budgets budgets;
  DeviceTimes times{100, budgets};
  Slice out;
};

TEST_F(Times, EachCauseOfAGap) {
  run(1, 1000, 2000, 900, 950);
  times.add_call(kPid, kTid, {1100, 2500, 20, HostPhase::waits});   // 500 ns of the gap
  times.add_call(kPid, kTid, {2600, 2800, 21, HostPhase::copies});  // after 100 ns of the host's
  run(2, 4000, 4500, 3000, 3100);  // 200 of the host's, 100 in the call, 900 latency
  times.advance(5000, out);
  EXPECT_EQ(idle(IdleKind::before, 1), 900u);
  EXPECT_EQ(idle(IdleKind::waits, 20), 500u);
  EXPECT_EQ(idle(IdleKind::copies, 21), 200u);
  EXPECT_EQ(idle(IdleKind::host, 2), 100u + 200u);
  EXPECT_EQ(idle(IdleKind::runtime, 2), 100u);
  EXPECT_EQ(idle(IdleKind::latency, 2), 900u);
  EXPECT_EQ(out.idle.at({0, IdleKind::host, 2}).count, 2u);
  EXPECT_TRUE(out.hidden.empty());
  out = Slice();
  times.finish(6000, out);
  EXPECT_EQ(idle(IdleKind::after, 0), 1500u);
  EXPECT_EQ(budgets.used(Kept::runs) % DeviceTimes::kRunBytes, 0u);
}

TEST_F(Times, AGapCountsInTheSliceInWhichItEnds) {
  run(1, 1000, 2000, 900, 900);
  times.advance(3000, out);
  times.advance(4000, out);
  EXPECT_EQ(out.idle.size(), 1u) << "the time before the first run";
  run(2, 4500, 4600, 2100, 2100);
  times.advance(5000, out);
  EXPECT_EQ(idle(IdleKind::latency, 2), 2400u);
  EXPECT_EQ(idle(IdleKind::host, 2), 100u);
}

TEST_F(Times, ACallThatHadNotReturnedHasItsThread) {
  run(1, 1000, 2000, 900, 900);
  run(2, 3000, 3500, 2200, 3000);
  times.advance(4000, out);
  EXPECT_EQ(idle(IdleKind::runtime, 2), 800u);
  EXPECT_EQ(idle(IdleKind::latency, 2), 0u);
}

TEST_F(Times, WorkBesideOtherWorkIsHidden) {
  run(1, 1000, 3000, 900, 900);
  run(2, 1500, 4000, 1400, 1400, WorkClass::copy);
  run(3, 1000, 2000, 900, 900, WorkClass::computation, 1);  // another device
  times.advance(2000, out);                                 // a slice ends in the middle
  EXPECT_EQ(hidden(2), 500u);
  times.advance(5000, out);
  EXPECT_EQ(hidden(2), 1500u);
  EXPECT_EQ(hidden(1), 0u);
  EXPECT_EQ(hidden(3), 0u);
}

TEST_F(Times, AFunctionOfTheHostIsIdleTimeThatNothingElseHas) {
  run(1, 1000, 2000, 900, 900);
  run(2, 1500, 4000, 950, 950, WorkClass::host);
  run(3, 3000, 3200, 960, 960, WorkClass::copy);
  run(4, 4500, 5000, 970, 970);
  times.advance(3100, out);  // a slice ends in the middle
  EXPECT_EQ(idle(IdleKind::function, 2), 1000u);
  EXPECT_EQ(hidden(2), 1600u);
  times.advance(6000, out);
  EXPECT_EQ(idle(IdleKind::function, 2), 1000u + 800u);
  EXPECT_EQ(idle(IdleKind::latency, 4), 500u);
  EXPECT_EQ(hidden(2), 2500u) << "all of its time";
  EXPECT_EQ(hidden(1) + hidden(3) + hidden(4), 0u);
}

TEST_F(Times, AThreadWhoseCallsAreForgottenIsUntraced) {
  run(1, 1000, 2000, 900, 900);
  for (uint64_t i = 0; i < 20000; ++i)
    times.add_call(kPid, kTid, {10000 + 10 * i, 10005 + 10 * i, 9, HostPhase::waits});
  run(2, 300000, 300001, 299000, 299000);
  times.advance(400000, out);
  EXPECT_GT(idle(IdleKind::untraced, 2), 8000u);
  EXPECT_GT(idle(IdleKind::waits, 9), 0u);
}

// Whatever comes, in whatever order: what the runs own, and the gaps, are the window.
TEST_F(Times, SumsAreTheWindow) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    Budgets room;
    DeviceTimes all(0, room);
    uint64_t busy = 0, last = 0, to = 0;
    Slice sum;
    for (int i = 0; i < 200; ++i) {
      const uint64_t begin = 1 + random() % 20000, end = begin + 1 + random() % 300;
      ASSERT_TRUE(room.take(Kept::runs, kPid, DeviceTimes::kRunBytes));
      const auto work_class = static_cast<WorkClass>(random() % kWorkClasses);
      const uint64_t called = random() % begin;
      all.add_call(kPid, kTid,
                   {called, called + random() % 50, 1 + static_cast<uint32_t>(random() % 5),
                    static_cast<HostPhase>(random() % 5)});
      all.add_run(0, {begin, end, called, called + random() % 50, kPid, kTid,
                      1 + static_cast<uint32_t>(random() % 5), work_class});
      busy += end - begin;
      last = std::max(last, end);
      // some come late, for a time that is given away
      if (round % 2 == 0 && i % 50 == 49) all.advance(to += 4000, sum);
    }
    all.advance(30000, sum);
    uint64_t hidden_in_all = 0, gaps = 0;
    for (const auto& [number, ns] : sum.hidden) hidden_in_all += ns;
    uint64_t before = 0;
    for (const auto& [place, time] : sum.idle)
      (place.kind == IdleKind::before ? before : gaps) += time.ns;
    EXPECT_EQ(busy - hidden_in_all + gaps, last - before) << round;
    EXPECT_LE(room.used(Kept::runs), 200 * 32u + 256);
  }
}

}  // namespace
}  // namespace aiflame::record
