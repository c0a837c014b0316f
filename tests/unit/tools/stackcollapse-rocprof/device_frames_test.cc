// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/device_frames.h"

#include <gtest/gtest.h>

#include "libcommon/code/stall_reasons.h"

namespace aiflame::rocprof {
namespace {

using Frames = std::vector<std::string>;

TEST(RocprofFrames, SourceLines) {
  EXPECT_EQ(line_frames("/src/a.cpp:44", {}), Frames{"a.cpp:44_[G]"});
  EXPECT_EQ(line_frames("/src/a.cpp:44", {.full_paths = true}), Frames{"/src/a.cpp:44_[G]"});
  EXPECT_EQ(line_frames("/hip/v.h:10 -> /src/a.cpp:44", {}),
            (Frames{"a.cpp:44_[G]", "v.h:10_[G]"}));
  EXPECT_EQ(line_frames("/src/a.cpp", {}), Frames{"a.cpp_[G]"});
  EXPECT_EQ(line_frames("", {}), Frames{});
  EXPECT_EQ(line_frames(" -> ", {}), Frames{});
  EXPECT_EQ(line_frames("Unrecognized code object id, physical virtual address of PC:12", {}),
            Frames{});
}

TEST(RocprofFrames, Reasons) {
  EXPECT_EQ(stall_frame("ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_WAITCNT"),
            "waitcnt_[g]");
  EXPECT_EQ(stall_frame("arbiter_not_win"), "arbiter_not_win_[g]");
  EXPECT_EQ(stall_frame("ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_NONE"),
            "[unknown reason]_[g]");
  EXPECT_EQ(stall_frame(""), "[unknown reason]_[g]");
}

// Colours and reports know what a wave issued by these names.
TEST(RocprofFrames, WhatAWaveIssued) {
  EXPECT_EQ(issue_frame("ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_VALU"), "isu_vec_[g]");
  EXPECT_EQ(issue_frame("16"), "isu_vec2_[g]");
  EXPECT_EQ(issue_frame("17"), "isu_unk_[g]");
  EXPECT_EQ(issue_frame("of tomorrow"), "isu_unk_[g]");
  for (int type = 0; type <= 16; ++type) {
    const std::string frame = issue_frame(std::to_string(type));
    const StallReason* known = find_stall_reason(frame.substr(0, frame.size() - 4));
    ASSERT_NE(known, nullptr) << frame;
    EXPECT_EQ(known->category, StallReason::Category::issuing) << frame;
  }
}

TEST(RocprofFrames, Copies) {
  EXPECT_EQ(copy_name("MEMORY_COPY_HOST_TO_DEVICE"), "Memcpy HtoD");
  EXPECT_EQ(copy_name("DEVICE_TO_DEVICE"), "Memcpy DtoD");
  EXPECT_EQ(copy_name("MEMORY_COPY_NONE"), "Memcpy");
  EXPECT_EQ(copy_name("_TO_"), "Memcpy");
  EXPECT_EQ(copy_name(""), "Memcpy");
}

}  // namespace
}  // namespace aiflame::rocprof
