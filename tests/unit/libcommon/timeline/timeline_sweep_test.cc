// SPDX-License-Identifier: MIT
#include "libcommon/timeline/timeline_sweep.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

// "1:0-5" owned, "i3:5-9" idle until 3 began
struct Text {
  std::string text;
  void own(uint32_t id, int64_t from, int64_t to) {
    text += std::to_string(id) + ":" + std::to_string(from) + "-" + std::to_string(to) + " ";
  }
  void idle(int64_t from, int64_t to, uint32_t id) {
    text += "i";
    own(id, from, to);
  }
};

TEST(TimelineSweep, WhatLastsIsKeptBetweenSteps) {
  Text out;
  TimelineSweep<Text> sweep(out);
  sweep.begin(1, 10, 30, WorkClass::copy);
  sweep.advance(20);
  EXPECT_EQ(out.text, "1:10-20 ");
  EXPECT_EQ(sweep.now(), 20);
  sweep.begin(2, 25, 40, WorkClass::computation);
  sweep.advance(100);
  EXPECT_EQ(out.text, "1:10-20 1:20-25 2:25-40 ");
  EXPECT_EQ(sweep.now(), 40) << "a gap is open";
  sweep.begin(3, 90, 91, WorkClass::computation);
  EXPECT_EQ(out.text, "1:10-20 1:20-25 2:25-40 i3:40-90 ");
}

TEST(TimelineSweep, OfLateWorkOnlyTheRestCounts) {
  Text out;
  TimelineSweep<Text> sweep(out);
  sweep.begin(1, 10, 30, WorkClass::computation);
  sweep.advance(50);
  sweep.begin(2, 5, 35, WorkClass::computation);   // from 30 on
  sweep.begin(3, 20, 30, WorkClass::computation);  // nothing
  sweep.advance(50);
  EXPECT_EQ(out.text, "1:10-30 2:30-35 ");
}

TEST(TimelineSweep, WorkOfNoTimeIsNone) {
  Text out;
  TimelineSweep<Text> sweep(out);
  sweep.begin(1, 10, 10, WorkClass::computation);
  EXPECT_FALSE(sweep.has_begun());
  sweep.begin(2, 11, 12, WorkClass::computation);
  sweep.advance(12);
  EXPECT_EQ(out.text, "2:11-12 ");
}

}  // namespace
}  // namespace aiflame
