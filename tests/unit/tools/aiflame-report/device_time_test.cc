// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/device_time.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame::report {
namespace {

// "copies, hidden"
std::string row(const std::vector<std::string_view>& roots, std::string_view kernel) {
  const DeviceTime time = device_time_of(roots, kernel);
  std::string out(time.row);
  if (!time.cause.empty()) out += ", " + std::string(time.cause);
  if (time.hidden) out += ", hidden";
  return out + (time.idle ? ", idle" : "") + (time.marked ? ", marked" : "");
}

TEST(DeviceTime, WorkByItsKernelAndItsMark) {
  EXPECT_EQ(row({"py::f", "aten::mm_[o]"}, "gemm_[G]"), "computation");
  EXPECT_EQ(row({"py::f"}, "ncclDevKernel_AllReduce_[G]"), "communication");
  EXPECT_EQ(row({"[exposed]", "py::f"}, "ncclDevKernel_AllReduce_[G]"), "communication, marked");
  EXPECT_EQ(row({"rank 3", "[hidden]", "py::f"}, "Memcpy HtoD_[G]"), "copies, hidden, marked");
  // a collective by more than its name
  EXPECT_EQ(row({"[exposed]"}, "kernel7_[G]"), "communication, marked");
  EXPECT_EQ(row({"main"}, "Host function_[G]"), "host functions");
  EXPECT_EQ(row({"main"}, ""), "");
}

TEST(DeviceTime, IdleTimeAndItsCause) {
  EXPECT_EQ(row({"[gpu idle]", "[host busy]", "py::f"}, ""),
            "[gpu idle], [host busy], idle, marked");
  EXPECT_EQ(row({"rank 3", "[gpu idle]"}, ""), "[gpu idle], idle, marked");
  EXPECT_EQ(row({"[gpu idle]", "py::f"}, ""), "[gpu idle], idle, marked");
  EXPECT_EQ(row({"[not recorded]"}, ""), "[not recorded], idle, marked");
  EXPECT_EQ(row({"[before the first]", "[untraced]"}, ""), "[before the first], idle, marked");
}

TEST(DeviceTime, OrderOfTheRows) {
  const std::vector<std::string_view> rows = {"computation", "communication", "copies",
                                              "host functions", "[gpu idle]"};
  for (uint32_t i = 0; i < rows.size(); ++i) EXPECT_EQ(device_row_order(rows[i]), i);
  EXPECT_EQ(device_row_order("[host busy]"), 5u);
  EXPECT_EQ(device_row_order("[untraced]"), 5u);
  EXPECT_EQ(device_row_order("[after the last]"), 6u);
}

}  // namespace
}  // namespace aiflame::report
