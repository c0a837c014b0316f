// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/eu_stall_metrics.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"
#include "libcommon/code/stall_reasons.h"

namespace aiflame {
namespace {

struct Given {
  uint64_t address;
  std::string reason;
  uint64_t count;
  bool operator==(const Given&) const = default;
};
void PrintTo(const Given& given, std::ostream* out) {
  *out << std::hex << given.address << std::dec << " " << given.reason << " " << given.count;
}

std::vector<Given> taken(EuStallMetrics& metrics) {
  std::vector<Given> all;
  metrics.take([&](uint64_t address, const char* reason, uint64_t count) {
    all.push_back({address, reason, count});
  });
  return all;
}

const std::vector<std::string> kPvc{
    "IP",        "Active",    "ControlStall", "PipeStall",       "SendStall",
    "DistStall", "SbidStall", "SyncStall",    "InstrFetchStall", "OtherStall"};
const std::vector<std::string> kXe2{"IP",        "Active",          "PSDepStall", "ControlStall",
                                    "PipeStall", "SendStall",       "DistStall",  "SbidStall",
                                    "SyncStall", "InstrFetchStall", "OtherStall"};

TEST(EuStallMetrics, ReasonsOfMetrics) {
  for (const auto* metrics : {&kPvc, &kXe2})
    for (const std::string& metric : *metrics) {
      const auto reason = eu_stall_reason(metric);
      EXPECT_EQ(reason.has_value(), metric != "IP") << metric;
      EXPECT_TRUE(!reason || find_stall_reason(*reason) != nullptr) << metric;
    }
  EXPECT_EQ(eu_stall_reason("TokenStall"), "token");
  EXPECT_EQ(eu_stall_reason("Stall"), std::nullopt);
}

TEST(EuStallMetrics, RowsOfDataCenterGpuMaxInTheOrderOfItsRecords) {
  EuStallMetrics metrics(kPvc);
  ASSERT_EQ(metrics.columns(), 10u);
  const std::vector<uint64_t> row{0x12345678 / 8, 1, 3, 4, 5, 6, 7, 8, 9, 2};
  metrics.add(row);
  EXPECT_EQ(taken(metrics), (std::vector<Given>{{0x12345678, "active", 1},
                                                {0x12345678, "other", 2},
                                                {0x12345678, "control", 3},
                                                {0x12345678, "pipestall", 4},
                                                {0x12345678, "send", 5},
                                                {0x12345678, "dist_acc", 6},
                                                {0x12345678, "sbid", 7},
                                                {0x12345678, "sync", 8},
                                                {0x12345678, "inst_fetch", 9}}));
}

TEST(EuStallMetrics, RowsOfXe2WithTheOldMetricNameAndTheNew) {
  std::vector<std::string> before = kXe2;
  before[2] = "Tdr";
  for (const auto& names : {kXe2, before}) {
    EuStallMetrics metrics(names);
    ASSERT_EQ(metrics.columns(), 11u);
    metrics.add(std::vector<uint64_t>{0x10, 10, 1, 3, 4, 5, 6, 7, 8, 9, 2});
    const auto all = taken(metrics);
    ASSERT_EQ(all.size(), 10u);
    EXPECT_EQ(all.front(), (Given{0x80, "tdr", 1}));
    EXPECT_EQ(all[1], (Given{0x80, "other", 2}));
    EXPECT_EQ(all.back(), (Given{0x80, "active", 10}));
  }
}

TEST(EuStallMetrics, EachReasonIsOneThatTheReportExplains) {
  EuStallMetrics metrics(kXe2);
  metrics.add(std::vector<uint64_t>(11, 1));
  for (const Given& given : taken(metrics))
    EXPECT_NE(find_stall_reason(given.reason), nullptr) << given.reason;
}

TEST(EuStallMetrics, RowsOfOneInstructionAddUpAndAddressesAreSorted) {
  EuStallMetrics metrics({"SbidStall", "IP"});
  metrics.add(std::vector<uint64_t>{200, 2});
  metrics.add(std::vector<uint64_t>{100, 1});
  metrics.add(std::vector<uint64_t>{200, 2});
  metrics.add(std::vector<uint64_t>{0, 3});
  EXPECT_EQ(taken(metrics), (std::vector<Given>{{8, "sbid", 100}, {16, "sbid", 400}}));
  EXPECT_TRUE(taken(metrics).empty());
}

TEST(EuStallMetrics, AnUnknownStallKeepsItsNameAndOtherMetricsAreIgnored) {
  EuStallMetrics metrics({"IP", "TokenStall", "GpuTime", "Stall", "Active"});
  metrics.add(std::vector<uint64_t>{1, 5, 1000, 7, 3});
  EXPECT_EQ(taken(metrics), (std::vector<Given>{{8, "active", 3}, {8, "token", 5}}));
}

TEST(EuStallMetrics, GroupsThatAreNoStalls) {
  EXPECT_THROW(EuStallMetrics({"GpuTime", "SbidStall"}), Error);
  EXPECT_THROW(EuStallMetrics({"IP", "GpuTime"}), Error);
  EXPECT_THROW(EuStallMetrics({}), Error);
}

TEST(EuStallMetrics, WholeAddresses) {
  EuStallMetrics metrics({"IP", "SbidStall"});
  metrics.add(std::vector<uint64_t>{0xffff800012345678u / 8, 1});
  EXPECT_EQ(taken(metrics), (std::vector<Given>{{0xffff800012345678u & ~UINT64_C(7), "sbid", 1}}));
}

// As compute-runtime reports them with a timestamp of 19.2 MHz: 13052, 26104 … 91364 ns.
TEST(EuStallMetrics, PeriodsInNanosecondsOfLevelZero) {
  EXPECT_EQ(eu_stall_period_ns(251, 52), 13052u);
  EXPECT_EQ(eu_stall_period_ns(1757, 52), 91364u);
  for (const uint64_t cycles : eu_stall_periods())
    EXPECT_EQ(eu_stall_period_cycles(eu_stall_period_ns(cycles, 52), 52), cycles);
}

}  // namespace
}  // namespace aiflame
