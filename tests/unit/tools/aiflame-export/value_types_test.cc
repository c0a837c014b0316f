// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/value_types.h"

#include <gtest/gtest.h>

namespace aiflame::exporter {
namespace {

std::string text(const Quantity& quantity) {
  const ValueTypes types = value_types(quantity);
  std::string out;
  for (const ValueType& one : types.values)
    out += one.type + "/" + one.unit + "*" + std::to_string(one.factor) + " ";
  return out + types.period_type + "/" + types.period_unit + " " + std::to_string(types.period);
}

TEST(ValueTypes, AreNamedByEventAndUnit) {
  EXPECT_EQ(text({}), "samples/count*1 / 0");
  EXPECT_EQ(text({.event = "gpu-stall", .unit = "stalls", .period = 1004, .period_unit = "cycles"}),
            "gpu_stall/count*1 cycles/count 1004");
  EXPECT_EQ(text({.event = "gpu-clock", .unit = "samples", .period = 2, .period_unit = "us"}),
            "gpu_samples/count*1 gpu_clock/nanoseconds*2000 wall/nanoseconds 2000");
  EXPECT_EQ(text({.event = "gpu-time", .unit = "ns"}), "gpu_time/nanoseconds*1 / 0");
  EXPECT_EQ(text({.event = "cycles:u", .unit = "cycles"}), "cycles_u/count*1 / 0");
  EXPECT_EQ(text({.unit = "ms"}), "ms/nanoseconds*1000000 / 0");
  EXPECT_EQ(text({.event = "alloc", .unit = "bytes"}), "alloc/bytes*1 / 0");
}

TEST(ValueTypes, PeriodsThatAreTooLongAreLeftOut) {
  EXPECT_EQ(text({.event = "t", .unit = "samples", .period = UINT64_MAX, .period_unit = "s"}),
            "t/count*1 / 0");
}

TEST(ValueTypes, NamesAreThoseOfLabels) {
  EXPECT_EQ(metric_name("9-lives"), "_9_lives");
  EXPECT_EQ(metric_name(""), "");
}

TEST(ValueTypes, FractionsOfTimesAreWholeInNanoseconds) {
  const ValueType milliseconds = value_types({.unit = "ms"}).values.front();
  EXPECT_EQ(value_of({5, 1}, milliseconds), 500000u);
  EXPECT_EQ(value_of({7, 0}, milliseconds), 7000000u);
}

}  // namespace
}  // namespace aiflame::exporter
