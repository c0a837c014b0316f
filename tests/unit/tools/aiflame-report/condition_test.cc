// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/condition.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"
#include "libcommon/text/pattern.h"

namespace aiflame::report {
namespace {

TEST(Condition, Parses) {
  const Condition change = parse_condition("total>+3%");
  EXPECT_EQ(change.subject, Condition::Subject::total);
  EXPECT_TRUE(change.greater && change.change && change.percent);
  EXPECT_EQ(change.limit, 3);

  const Condition kernel = parse_condition("kernel:scale<float, 4>><2.5");
  EXPECT_EQ(kernel.subject, Condition::Subject::thing);
  EXPECT_EQ(kernel.kind, Kind::kernel);
  EXPECT_EQ(kernel.name, "scale<float, 4>>");
  EXPECT_FALSE(kernel.greater || kernel.change || kernel.percent);
  EXPECT_EQ(kernel.limit, 2.5);

  const Condition pattern = parse_condition("/a/b>c/<-10%");
  EXPECT_EQ(pattern.subject, Condition::Subject::pattern);
  EXPECT_EQ(pattern.name, "a/b>c");
  EXPECT_TRUE(!pattern.greater && pattern.change && pattern.percent);
  EXPECT_EQ(pattern.limit, -10);
}

TEST(Condition, RefusesOthers) {
  for (const char* text :
       {"",          ">",           "total",       "total>",    "total>+",    "total>%",
        "total>+%",  "total>3%%",   "total>++3",   "total>+-3", "total> 3",   "total>1e3",
        "total>inf", "total>nan",   "total>1.2.3", "total=3",   ">3",         "Total>3",
        "kernel:>3", "kernels:a>3", "//>3",        "/a>3",      "total>0x10", "total>3k"})
    EXPECT_THROW(parse_condition(text), UsageError) << text;
}

Change change(double before, double after, double reach) {
  return {before, after, after - before - reach, after - before + reach};
}

TEST(Condition, AChangeMustBePastTheLimitAndBeyondNoise) {
  const Condition more = parse_condition("total>+10%");
  EXPECT_TRUE(holds(more, change(100, 120, 5), 120));
  EXPECT_FALSE(holds(more, change(100, 120, 30), 120));
  EXPECT_FALSE(holds(more, change(100, 109, 1), 109));
  EXPECT_FALSE(holds(more, change(100, 110, 1), 110));
  EXPECT_FALSE(holds(more, change(100, 50, 1), 50));
  const Condition less = parse_condition("total<-10");
  EXPECT_TRUE(holds(less, change(100, 89, 1), 89));
  EXPECT_FALSE(holds(less, change(100, 90, 1), 90));
}

TEST(Condition, FromNothingIsMoreThanAnyPercentage) {
  EXPECT_TRUE(holds(parse_condition("total>+999999%"), change(0, 10, 5), 10));
  EXPECT_FALSE(holds(parse_condition("total>+0%"), change(0, 0, 5), 0));
  EXPECT_FALSE(holds(parse_condition("total>5%"), change(0, 0, 5), 0));
}

TEST(Condition, AnAbsoluteLimitIsComparedWithTheCountAfter) {
  EXPECT_TRUE(holds(parse_condition("reason:sbid>20%"), change(0, 30, 100), 100));
  EXPECT_FALSE(holds(parse_condition("reason:sbid>30%"), change(90, 30, 1), 100));
  EXPECT_TRUE(holds(parse_condition("reason:sbid<31"), change(90, 30, 1), 100));
}

TEST(Pattern, MatchesAnywhereInBytes) {
  EXPECT_TRUE(Pattern("mem(cpy|set)").matches("__memcpy_avx"));
  EXPECT_FALSE(Pattern("^mem").matches("__memcpy"));
  EXPECT_TRUE(Pattern("\\xff").matches("a\xff"));
  EXPECT_TRUE(Pattern("a.b").matches(std::string_view("a\0b", 3)));
  EXPECT_THROW(Pattern("("), UsageError);
  EXPECT_THROW(Pattern("(a)\\1"), UsageError);
}

// Backtracking engines take exponential time for this.
TEST(Pattern, TakesBoundedTime) {
  EXPECT_FALSE(Pattern("^(a+)+$").matches(std::string(100000, 'a') + "b"));
}

}  // namespace
}  // namespace aiflame::report
