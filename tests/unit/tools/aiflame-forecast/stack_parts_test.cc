// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/stack_parts.h"

#include <gtest/gtest.h>

namespace aiflame::forecast {
namespace {

TEST(StackParts, TheInnermostOperatorWithShapesAndTheKernel) {
  const StackParts parts = split_stack(
      "train;aten::linear 8x4, 2x4_[o];aten::mm 8x4, 4x2_[o];aten::empty_[o];launch;-;k_[G]");
  EXPECT_EQ(parts.op, "aten::mm 8x4, 4x2");
  EXPECT_EQ(parts.kernel, "k_[G]");
  EXPECT_EQ(split_stack("a;b").op, "");
  EXPECT_EQ(split_stack("aten::add 4_[o]").op, "aten::add 4");
  EXPECT_EQ(split_stack("aten::add__[o];-;k_[G]").op, "");
  EXPECT_EQ(split_stack("x_[o]y 4;b").op, "");
}

TEST(StackParts, InstructionsOfADeviceAreLeftOut) {
  EXPECT_EQ(split_stack("a;-;k_[G];f_[G];mad_[g];sbid_[g];0x10_[g]").stack, "a;-;k_[G];f_[G]");
  EXPECT_EQ(split_stack("mad_[g]").stack, "mad_[g]");
}

TEST(StackParts, WhatStandsOnIdleTimeIsIdle) {
  EXPECT_TRUE(split_stack("[gpu idle];[host busy];aten::add 4_[o]").is_idle);
  EXPECT_TRUE(split_stack("rank 3;[not recorded]").is_idle);
  EXPECT_FALSE(split_stack("[exposed];aten::add 4_[o];-;k_[G]").is_idle);
  EXPECT_FALSE(split_stack("").is_idle);
}

TEST(StackParts, WhatAKernelsNameTells) {
  EXPECT_EQ(type_of_kernel("Cijk_Alik_Bljk_BBS_BH_Bias_[G]"), DataType::bf16);
  EXPECT_EQ(type_of_kernel("ampere_bf16_s16816gemm_bf16_128x128"), DataType::bf16);
  EXPECT_EQ(type_of_kernel("volta_sgemm_128x64_nn"), DataType::fp32);
  EXPECT_FALSE(type_of_kernel("elementwise_kernel"));
  EXPECT_EQ(family_of_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), Family::collective);
  EXPECT_EQ(family_of_kernel("Memcpy HtoD (Pageable -> Device)_[G]"), Family::host);
  EXPECT_FALSE(family_of_kernel("Memcpy DtoD (Device -> Device)_[G]"));
}

}  // namespace
}  // namespace aiflame::forecast
