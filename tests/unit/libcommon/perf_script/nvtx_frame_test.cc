// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/nvtx_frame.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(NvtxFrame, RangesOfPyTorchLoseTheirNumbers) {
  EXPECT_EQ(nvtx_frame("aten::mm, seq = 12, op_id = 3, sizes = [[4, 4]]").text, "aten::mm_[o]");
  EXPECT_EQ(nvtx_frame("aten::view, op_id = 314290").text, "aten::view_[o]");
  EXPECT_EQ(nvtx_frame("MmBackward0, seq = 9").text, "MmBackward0_[o]");
  EXPECT_EQ(nvtx_frame("autograd::engine::evaluate_function: MmBackward0, seq = 9").text,
            "autograd::engine::evaluate_function: MmBackward0_[o]");
  EXPECT_TRUE(nvtx_frame("aten::view, op_id = 314290").is_operator);
  EXPECT_EQ(nvtx_frame("FSDP::pre_forward (layer), op_id = 7").text,
            "FSDP::pre_forward (layer)_[r]");
}

TEST(NvtxFrame, OtherRangesStayAsTheyAre) {
  EXPECT_EQ(nvtx_frame("step 7").text, "step 7_[r]");
  EXPECT_EQ(nvtx_frame("aten::mm").text, "aten::mm_[r]");
  EXPECT_EQ(nvtx_frame("a, seq = b").text, "a, seq = b_[r]");
  EXPECT_EQ(nvtx_frame("a, op_id = ").text, "a, op_id = _[r]");
  EXPECT_EQ(nvtx_frame("").text, "[unnamed]_[r]");
}

}  // namespace
}  // namespace aiflame
