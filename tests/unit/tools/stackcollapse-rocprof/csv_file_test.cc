// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/csv_file.h"

#include <gtest/gtest.h>

namespace aiflame::rocprof {
namespace {

TEST(RocprofCsvFile, FilesOfOneProcessHaveOnePrefix) {
  EXPECT_EQ(file_group("run/238_kernel_trace.csv"), "run/238_");
  EXPECT_EQ(file_group("run/238_hip_api_trace.csv.gz"), "run/238_");
  EXPECT_EQ(file_group("run/238_pc_sampling_stochastic.csv"), "run/238_");
  EXPECT_EQ(file_group("rank_hip_kernel_trace.csv"), "rank_");
  EXPECT_EQ(file_group("kernel_trace.csv"), "");
  EXPECT_EQ(file_group("a/marker_api_trace.csv"), "a/");
  // no kind in its name: whatever is beside it
  EXPECT_EQ(file_group("a/x.csv"), "a/");
  EXPECT_EQ(file_group("chip_x.csv"), "");
  EXPECT_EQ(file_group("-"), "");
}

}  // namespace
}  // namespace aiflame::rocprof
