// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/frame_texts.h"

#include <gtest/gtest.h>

namespace aiflame::nsys {
namespace {

TEST(NsysFrameTexts, CallsWithoutTheirVersions) {
  EXPECT_EQ(api_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(api_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(api_name("cuLaunchKernel_ptsz"), "cuLaunchKernel");
  EXPECT_EQ(api_name("cuMemFree_v2"), "cuMemFree");
  EXPECT_EQ(api_name("my_vector"), "my_vector");
  EXPECT_EQ(api_name("x_v"), "x_v");
  EXPECT_EQ(api_name(""), "");
}

TEST(NsysFrameTexts, FramesOfCallChains) {
  EXPECT_EQ(call_frame("run(float*)", "/a/app", {}), "run");
  EXPECT_EQ(call_frame("run(float*)", "/a/app", {.full_names = true}), "run(float*)");
  EXPECT_EQ(call_frame("0x7f12ab", "/usr/lib/libtorch.so", {}), "[libtorch.so]");
  EXPECT_EQ(call_frame("", "", {}), "[unknown]");
  EXPECT_EQ(call_frame("0x1", "[vdso]", {}), "[vdso]");
  EXPECT_EQ(call_frame("do_syscall_64", "[kernel.kallsyms]", {}), "do_syscall_64_[k]");
  EXPECT_EQ(call_frame("step", "/a/train.py", {}), "py::step:train.py");
}

TEST(NsysFrameTexts, Copies) {
  EXPECT_EQ(copy_name(1), "Memcpy HtoD");
  EXPECT_EQ(copy_name(8), "Memcpy DtoD");
  EXPECT_EQ(copy_name(10), "Memcpy PtoP");
  EXPECT_EQ(copy_name(13), "Memcpy UVM DtoD");
  EXPECT_EQ(copy_name(0), "Memcpy");
  EXPECT_EQ(copy_name(14), "Memcpy");
  EXPECT_EQ(copy_name(-1), "Memcpy");
}

}  // namespace
}  // namespace aiflame::nsys
