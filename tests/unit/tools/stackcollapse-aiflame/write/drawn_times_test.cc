// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/drawn_times.h"

#include <gtest/gtest.h>

#include "tools/stackcollapse-aiflame/fold/device_events.h"

namespace aiflame::collapse {
namespace {

constexpr uint32_t kKernelCode = 1, kCopyCode = 2, kHostCode = 3;

class Drawn : public testing::Test {
 protected:
  void add(uint32_t event, uint32_t code, uint64_t time) {
    DeviceCounts::Line line;
    line.event = event;
    line.code = code;
    counts.add(line, std::nullopt, time, How::exact);
  }
  DrawnTimes draw(bool idle, bool outside, bool exposed, bool tells_idle = true) {
    return draw_times(
        counts, {idle, outside, exposed},
        [](uint32_t code) {
          return code == kKernelCode ? WorkClass::computation
                 : code == kCopyCode ? WorkClass::copy
                                     : WorkClass::host;
        },
        [&](uint32_t) { return tells_idle; });
  }

  TimeStep none;
  TextTable texts;
  DeviceCounts counts{none, texts};
};

TEST_F(Drawn, IdleHasEachMomentOnce) {
  add(kTime, kKernelCode, 100);  // 0
  add(kTime, kCopyCode, 50);     // 1
  add(kHidden, kCopyCode, 20);   // 2
  add(kHidden, kKernelCode, 1);  // 3
  add(kIdle, 0, 30);             // 4
  add(kOutside, 0, 7);           // 5
  DrawnTimes times = draw(true, false, false);
  EXPECT_EQ(times.parts[0].shown, 99u);
  EXPECT_EQ(times.parts[1].shown, 30u);
  EXPECT_FALSE(times.parts[1].is_marked);
  EXPECT_TRUE(times.parts[4].is_gap);
  EXPECT_TRUE(times.parts[4].is_idle);
  EXPECT_EQ(times.parts[5].shown, 0u);
  EXPECT_EQ(times.sum, 99u + 30u + 30u);
  EXPECT_EQ(times.ran_beside, 21u);
  EXPECT_EQ(times.without_work, 0u);
  times = draw(true, true, true, false);
  EXPECT_FALSE(times.parts[4].is_idle) << "too few launches are recorded";
  EXPECT_TRUE(times.parts[1].is_marked);
  EXPECT_EQ(times.parts[1].hidden, 0u);
  EXPECT_EQ(times.parts[5].shown, 7u);
}

TEST_F(Drawn, ExposedDividesWhatDoesNotCompute) {
  add(kTime, kKernelCode, 100);
  add(kTime, kCopyCode, 50);
  add(kHidden, kCopyCode, 20);
  add(kHidden, kKernelCode, 1);
  add(kIdle, 0, 30);
  const DrawnTimes times = draw(false, false, true);
  EXPECT_EQ(times.parts[0].shown, 100u);
  EXPECT_FALSE(times.parts[0].is_marked);
  EXPECT_EQ(times.parts[1].shown, 30u);
  EXPECT_EQ(times.parts[1].hidden, 20u);
  EXPECT_EQ(times.sum, 150u);
}

TEST_F(Drawn, HiddenTimeOfNoWorkIsTold) {
  add(kTime, kCopyCode, 50);
  add(kHidden, kCopyCode, 60);
  add(kHidden, kKernelCode, 5);
  const DrawnTimes times = draw(true, false, false);
  EXPECT_EQ(times.parts[0].shown, 0u);
  EXPECT_EQ(times.without_work, 15u);
}

// Its time is hidden all along: what no work covered is idle time.
TEST_F(Drawn, AFunctionOfTheHostIsNoWork) {
  add(kTime, kKernelCode, 100);
  add(kTime, kHostCode, 50);
  add(kHidden, kHostCode, 50);
  add(kIdle, 0, 40);
  DrawnTimes times = draw(true, false, true);
  EXPECT_EQ(times.parts[1].shown, 0u);
  EXPECT_EQ(times.sum, 100u + 40u);
  EXPECT_EQ(times.ran_beside, 0u);
  times = draw(false, false, true);
  EXPECT_FALSE(times.parts[1].is_marked);
  EXPECT_EQ(times.parts[1].shown, 50u);
  EXPECT_EQ(times.parts[1].hidden, 0u);
}

}  // namespace
}  // namespace aiflame::collapse
