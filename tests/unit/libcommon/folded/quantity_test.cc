// SPDX-License-Identifier: MIT
#include "libcommon/folded/quantity.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

constexpr const char* kLine = "# aiflame: event gpu-clock, unit samples, period 1003009 ns";

TEST(Quantity, IsALineThatIsReadAgain) {
  const auto clock = parse_quantity(kLine);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->event, "gpu-clock");
  EXPECT_EQ(clock->unit, "samples");
  EXPECT_EQ(clock->period, 1003009U);
  EXPECT_EQ(clock->period_unit, "ns");
  EXPECT_EQ(quantity_line(*clock), std::string(kLine) + "\n");
}

TEST(Quantity, SaysThatLinesHaveTwoCounts) {
  const auto two = parse_quantity("# aiflame: event gpu-time, unit ns, columns two");
  ASSERT_TRUE(two);
  EXPECT_TRUE(two->two_counts);
  EXPECT_EQ(quantity_line(*two), "# aiflame: event gpu-time, unit ns, columns two\n");
  const Quantity one{.event = "gpu-time", .unit = "ns"};
  EXPECT_FALSE(is_comparable(one, *two));
  EXPECT_FALSE(parse_quantity("# aiflame: unit ns, columns three")->two_counts);
}

TEST(Quantity, NeverEndsInADigit) {
  // flamegraph.pl would draw the line
  EXPECT_EQ(quantity_line({.event = "r1a8", .unit = "events"}),
            "# aiflame: event r1a8, unit events\n");
}

TEST(Quantity, AnEventMayContainCommas) {
  const Quantity odd{.event = "{cycles,cpu/event=0x3c, umask=1/}\n", .unit = "cycles"};
  std::string line = quantity_line(odd);
  EXPECT_EQ(line, "# aiflame: event {cycles,cpu/event=0x3c,umask=1/}\\012, unit cycles\n");
  line.pop_back();
  EXPECT_EQ(parse_quantity(line)->event, "{cycles,cpu/event=0x3c,umask=1/}\\012");
}

TEST(Quantity, MeasuredIsWhatAllAre) {
  const Quantity time{.event = "gpu-time", .unit = "ns", .measured = true};
  EXPECT_EQ(quantity_line(time), "# aiflame: event gpu-time, unit ns, weights measured\n");
  const auto parsed = parse_quantity("# aiflame: event gpu-time, unit ns, weights measured");
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->measured);
  EXPECT_FALSE(parse_quantity("# aiflame: unit ns, weights guessed")->measured);
  EXPECT_TRUE(common_quantity(time, *parsed).measured);
  EXPECT_FALSE(common_quantity(time, {.event = "gpu-time", .unit = "ns"}).measured);
}

TEST(Quantity, OtherCommentsAreNone) {
  for (const char* line : {"# comment", "# aiflame:", "# aiflame: event cycles",
                           "#aiflame: unit ns", "# aiflame: unit ", "a;b 1", ""})
    EXPECT_FALSE(parse_quantity(line)) << line;
  const auto later = parse_quantity("# aiflame: unit ns, host a b, period x ns\r");
  ASSERT_TRUE(later);
  EXPECT_EQ(later->unit, "ns");
  EXPECT_EQ(later->period, 0U);
}

TEST(Quantity, AUnitIsAWord) {
  // it is written again, at the end of a line
  for (const char* unit :
       {"a b", "m2", "\033[31m", "a\tb", "\xff",
        "unit-of-more-than-sixty-four-bytes-is-too-long-to-be-repeated-with-each-frame"}) {
    EXPECT_FALSE(parse_quantity(std::string("# aiflame: unit ") + unit)) << unit;
    const auto period = parse_quantity(std::string("# aiflame: unit ns, period 5 ") + unit);
    ASSERT_TRUE(period);
    EXPECT_EQ(period->period, 0U);
  }
  EXPECT_EQ(parse_quantity("# aiflame: unit gCO2e")->unit, "gCO2e");
}

TEST(Quantity, DifferentUnitsAndPeriodsAreNotCompared) {
  const Quantity samples{.event = "a", .unit = "samples", .period = 4, .period_unit = "ns"};
  const Quantity longer{.event = "b", .unit = "samples", .period = 5, .period_unit = "ns"};
  const Quantity any{.event = "a", .unit = "samples"};
  const Quantity time{.event = "a", .unit = "ns"};
  EXPECT_FALSE(is_comparable(samples, longer));
  EXPECT_FALSE(is_comparable(samples, time));
  EXPECT_TRUE(is_comparable(samples, any));
  EXPECT_TRUE(is_comparable(samples, {}));
  EXPECT_EQ(describe(common_quantity(samples, any)), "samples (a)");
  EXPECT_EQ(describe(common_quantity(samples, longer)), "samples");
  EXPECT_EQ(describe(common_quantity({}, samples)), "samples of 4 ns (a)");
  EXPECT_FALSE(common_quantity(samples, time).is_known());
}

TEST(Quantity, CountsInTheUnitOfTheirPeriodAreCompared) {
  const Quantity clock{.event = "cpu-clock", .unit = "ns", .period = 4, .period_unit = "ns"};
  const Quantity slower{.event = "cpu-clock", .unit = "ns", .period = 5, .period_unit = "ns"};
  EXPECT_TRUE(is_comparable(clock, slower));
  EXPECT_EQ(describe(clock), "ns (cpu-clock)");
  EXPECT_EQ(common_quantity(clock, slower).period, 0U);
}

TEST(Quantity, EventsAndStallsAreNotComparedWithOthers) {
  const auto comparable = [](const char* unit, const char* one, const char* other) {
    return is_comparable({.event = one, .unit = unit}, {.event = other, .unit = unit});
  };
  EXPECT_FALSE(comparable("events", "instructions", "cache-misses"));
  EXPECT_FALSE(comparable("events", "cache-misses:u", "cache-misses"));
  EXPECT_FALSE(comparable("stalls", "gpu-stall", "gpu-stall-exposed"));
  EXPECT_TRUE(comparable("stalls", "gpu-stall", "gpu-stall"));
  EXPECT_TRUE(comparable("stalls", "gpu-stall", ""));
  EXPECT_TRUE(comparable("cycles", "cycles:u", "cycles"));
  EXPECT_TRUE(comparable("ns", "cpu-clock", "task-clock"));
  EXPECT_TRUE(comparable("ns", "gpu-time", "cpu-clock"));
}

TEST(Quantity, TimeIsScaled) {
  EXPECT_EQ(format_quantity(0, 0, "ns"), "0 ns");
  EXPECT_EQ(format_quantity(999, 0, "ns"), "999 ns");
  EXPECT_EQ(format_quantity(1000, 0, "ns"), "1.000 us");
  EXPECT_EQ(format_quantity(12345, 0, "ns"), "12.35 us");
  EXPECT_EQ(format_quantity(104300721, 0, "ns"), "104.3 ms");
  EXPECT_EQ(format_quantity(999960, 0, "ns"), "1.000 ms");
  EXPECT_EQ(format_quantity(3395395392, 0, "ns"), "3.395 s");
  EXPECT_EQ(format_quantity(UINT64_MAX, 0, "ns"), "18446744074 s");
  EXPECT_EQ(format_quantity(123456, 1, "ns"), "12.35 us");
  EXPECT_EQ(format_quantity(12345, 1, "stalls"), "1,234.5 stalls");
}

}  // namespace
}  // namespace aiflame
