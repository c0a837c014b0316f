// SPDX-License-Identifier: MIT
#include "libcommon/folded/range_choice.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

std::string message(const RangeNames& names, const RangeChoice& choice) {
  try {
    names.require(choice);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RangeChoice, NumbersAtTheEnd) {
  const auto parts = [](std::string_view range) {
    const NumberedRange out = numbered_range(range);
    return std::string(out.name) + (out.number ? "|" + std::to_string(*out.number) : "");
  };
  EXPECT_EQ(parts("ProfilerStep#7"), "ProfilerStep|7");
  EXPECT_EQ(parts("decode #12"), "decode|12");
  EXPECT_EQ(parts("step 7"), "step 7");
  EXPECT_EQ(parts("#7"), "#7");
  EXPECT_EQ(parts("Optimizer.step#SGD.step"), "Optimizer.step#SGD.step");
  EXPECT_EQ(parts("decode #"), "decode #");
  EXPECT_EQ(parts("decode #99999999999999999999"), "decode #99999999999999999999");
}

TEST(RangeChoice, ANameOrAPattern) {
  EXPECT_FALSE(RangeChoice().is_set());
  EXPECT_FALSE(RangeChoice(std::vector<std::string>()).is_set());
  EXPECT_THROW(RangeChoice({std::string()}), UsageError);
  const RangeChoice step({"other", "ProfilerStep"});
  EXPECT_TRUE(step.matches("ProfilerStep#7"));
  EXPECT_FALSE(step.matches("ProfilerStep 7"));
  EXPECT_FALSE(step.matches("other"));
  EXPECT_TRUE(RangeChoice({"ProfilerStep#[78]"}).matches("ProfilerStep#7"));
  EXPECT_FALSE(RangeChoice({"ProfilerStep#[78]"}).matches("ProfilerStep#9"));
  EXPECT_TRUE(RangeChoice({"step[DECODE bs=8]"}).matches("step[DECODE bs=8]"));
  EXPECT_TRUE(RangeChoice({"step\\[*"}).matches("step[DECODE bs=8]"));
  EXPECT_EQ(RangeChoice({"step*"}).outside(), "[outside step*]");
}

TEST(RangeChoice, FramesOfInstances) {
  EXPECT_EQ(instance_frame("decode", 3), "decode #3_[r]");
  EXPECT_EQ(instance_frame("ProfilerStep#7", 3), "ProfilerStep#7_[r]");
  EXPECT_EQ(instance_frame("decode", std::nullopt), "decode_[r]");
}

TEST(RangeNames, AMissingNameIsAnErrorWithTheMostCommonOnes) {
  const RangeChoice choice({"x\x1b"});
  RangeNames names;
  EXPECT_EQ(message(names, RangeChoice()), "");
  EXPECT_EQ(message(names, choice),
            "option '--by-range': no range is named 'x\\033', and the input has no ranges");
  names.add("step[DECODE bs=8]", false, 2);
  names.add("step[DECODE bs=16]", false, 3);
  names.add("forward", false, 4);
  for (int i = 0; i < 9; ++i) names.add("ProfilerStep#" + std::to_string(i), false);
  EXPECT_EQ(message(names, choice),
            "option '--by-range': no range is named 'x\\033'; there are 'ProfilerStep' (9), "
            "'step\\[DECODE bs=*\\]' (5), 'forward' (4)");
  for (char c = 'a'; c < 'g'; ++c) names.add(std::string(1, c), false);
  EXPECT_EQ(message(names, choice).find("; the most common are 'ProfilerStep' (9)"), 46u);
  EXPECT_EQ(message(names, choice).find("'f'"), std::string::npos);
  names.add("x", true);
  EXPECT_EQ(message(names, choice), "");
}

TEST(RangeNames, ManyNamesTakeNoMemoryWithoutBound) {
  RangeNames names;
  std::string name;
  for (int i = 0; i < 10000; ++i) {
    name.assign(static_cast<size_t>(i % 100) + 1, 'a')
        .append(static_cast<size_t>(i / 100) + 1, 'b');
    names.add(name, false);
  }
  EXPECT_NE(message(names, RangeChoice({"x"})).find("; the most common are "), std::string::npos);
}

}  // namespace
}  // namespace aiflame
