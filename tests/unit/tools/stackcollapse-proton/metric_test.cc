// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-proton/metric.h"

#include <gtest/gtest.h>

#include "libcommon/code/stall_reasons.h"

namespace aiflame::proton {
namespace {

TEST(ProtonMetric, NamesAreWithoutUnitsAndInAnyCase) {
  EXPECT_TRUE(Metric("time").has("time (ns)"));
  EXPECT_TRUE(Metric("Time (ns)").has("time (ns)"));
  EXPECT_FALSE(Metric("time").has("cpu_time (ns)"));
  EXPECT_TRUE(Metric("stalled").has("stalled_wait"));
  EXPECT_FALSE(Metric("stalled").has("num_stalled_samples"));
}

TEST(ProtonMetric, Quantities) {
  EXPECT_EQ(describe(Metric("time").quantity("time (ns)")), "ns (gpu-time)");
  EXPECT_EQ(describe(Metric("cpu_time").quantity("cpu_time (ns)")), "ns (cpu_time)");
  EXPECT_EQ(describe(Metric("stalled").quantity("stalled_wait")), "stalls (gpu-stall)");
  EXPECT_EQ(describe(Metric("flops16").quantity("flops16")), "flops (flops16)");
  EXPECT_EQ(describe(Metric("x").quantity("x (of 7)")), "events (x)");
  EXPECT_EQ(describe(Metric("x").quantity("x (")), "events (x)");
}

TEST(ProtonMetric, Reasons) {
  for (const char* key :
       {"stalled_branch_resolving", "stalled_no_instruction", "stalled_not_Selected",
        "stalled_imc_miss", "stalled_dispatch_stall", "stalled_amd_waitcnt"})
    EXPECT_NE(find_stall_reason(reason_of_key(key).value_or("")), nullptr) << key;
  EXPECT_EQ(reason_of_key("stalled_amd_news"), "amd_news");
  EXPECT_EQ(reason_of_key("stalled_"), std::nullopt);
  EXPECT_EQ(reason_of_key("num_stalled_samples"), std::nullopt);
}

void expect_whole(const char* number, uint64_t value, bool is_exact = true) {
  const auto whole = parse_whole(number);
  ASSERT_TRUE(whole) << number;
  EXPECT_EQ(whole->value, value) << number;
  EXPECT_EQ(whole->is_exact, is_exact) << number;
}

TEST(ProtonMetric, WholeNumbers) {
  expect_whole("0", 0);
  expect_whole("-0.0", 0);
  expect_whole("0e99999999999999999999", 0);
  expect_whole("18446744073709551615", UINT64_MAX);
  expect_whole("2048.000", 2048);
  expect_whole("1e11", 100000000000);
  expect_whole("1.5e+3", 1500);
  expect_whole("123.45e1", 1235, false);
  expect_whole("1234.4", 1234, false);
  expect_whole("0.5", 1, false);
  expect_whole("0.05", 0, false);
  expect_whole("1e-3", 0, false);
  expect_whole("120e-1", 12);
  for (const char* number : {"-1", "18446744073709551616", "1e20", "18446744073709551615.5",
                             "1e99999999999999999999", "1e41"})
    EXPECT_FALSE(parse_whole(number)) << number;
}

}  // namespace
}  // namespace aiflame::proton
