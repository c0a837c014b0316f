// SPDX-License-Identifier: MIT
#include "libcommon/device/stack_layers.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(FrameRole, FilesOfKernelsAreNoFunctions) {
  for (const char* file : {"matmul.cl_[G]", "jit_[G]", "jit#2_[G]", "jit#31_[G]"})
    EXPECT_EQ(role_of(file), FrameRole::file) << file;
  for (const char* function : {"jit#_[G]", "jit#a_[G]", "jitter_[G]", "scale.cold_[G]"})
    EXPECT_EQ(role_of(function), FrameRole::device_function) << function;
  EXPECT_EQ(role_of("jit#2"), FrameRole::function);
}

}  // namespace
}  // namespace aiflame
