// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/operators.h"

#include <gtest/gtest.h>

namespace aiflame::forecast {
namespace {

Work of(std::string_view frame, DataType type = DataType::fp32) {
  const auto text = parse_operator(frame);
  return text ? work_of(*text, type) : Work{};
}

TEST(Shapes, AreWhatStackcollapseTraceWrites) {
  const auto text = parse_operator("aten::addmm 2880, 888x512, 512x2880");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->name, "aten::addmm");
  EXPECT_EQ(text->inputs, (std::vector<Shape>{{2880}, {888, 512}, {512, 2880}}));
  EXPECT_FALSE(text->output);
  const auto named = parse_operator("my op 8x4, 4 -> 8x4");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->name, "my op");
  EXPECT_EQ(named->output, (Shape{8, 4}));
}

TEST(Shapes, OtherTextHasNone) {
  for (const char* text : {"", "aten::add", "aten::add ", "add 4x", "add x4", "add -4", "add 4,4",
                           "add 4, ", "add 4x4 -> ", "add 4 -> y", "add 99999999999x99999999999",
                           "add 1x1x1x1x1x1x1x1x1x1x1x1x1"})
    EXPECT_FALSE(parse_operator(text)) << text;
}

TEST(Operators, ProductsAreCountedExactly) {
  for (const char* frame : {"aten::mm 64x256, 256x512", "aten::addmm 512, 64x256, 256x512",
                            "aten::linear 8x8x256, 512x256, 512", "aten::matmul 8x8x256, 256x512",
                            "Linear 64x256, 256x512"}) {
    const Work work = of(frame);
    EXPECT_EQ(work.family, Family::linear) << frame;
    EXPECT_EQ(work.operations, 2.0 * 64 * 256 * 512) << frame;
    EXPECT_EQ(work.bytes, 4.0 * (64 * 256 + 256 * 512 + 64 * 512)) << frame;
  }
  EXPECT_EQ(of("aten::mm 64x256, 256x512", DataType::bf16).bytes,
            2.0 * (64 * 256 + 256 * 512 + 64 * 512));
  for (const char* frame : {"aten::bmm 6x8x16, 6x16x4", "aten::baddbmm 6x8x4, 6x8x16, 6x16x4",
                            "aten::matmul 2x3x8x16, 2x3x16x4"}) {
    EXPECT_EQ(of(frame).family, Family::bmm) << frame;
    EXPECT_EQ(of(frame).operations, 2.0 * 6 * 8 * 16 * 4) << frame;
  }
}

TEST(Operators, OthersMoveTheirInputsAndTheirOutput) {
  EXPECT_EQ(of("aten::add 4x8x16, 8x16").bytes, 4.0 * (512 + 128 + 512));
  EXPECT_EQ(of("aten::add 4x1, 1x8").bytes, 4.0 * (4 + 8 + 12));  // never more than the inputs
  EXPECT_EQ(of("aten::gelu 4x8").bytes, 4.0 * 64);
  EXPECT_EQ(of("aten::add_ 4x8, 4x8").bytes, 4.0 * 96);
  EXPECT_EQ(of("aten::copy_ 4x8, 4x8").bytes, 4.0 * 64);
  EXPECT_EQ(of("aten::_softmax 4x8").operations, 5.0 * 32);
  EXPECT_EQ(of("aten::native_layer_norm 4x8, 8, 8").family, Family::ln);
  EXPECT_EQ(of("aten::embedding 50000x16, 4x2").bytes, 4.0 * 8 * 33);
  EXPECT_EQ(of("aten::cat 4x8, 4x8").bytes, 4.0 * 128);
}

TEST(Operators, AttentionAndConvolutions) {
  EXPECT_EQ(of("aten::_scaled_dot_product_flash_attention 2x3x8x4, 2x3x16x4, 2x3x16x4").operations,
            2.0 * 2 * 3 * 8 * 16 * (4 + 4));
  EXPECT_EQ(of("aten::_flash_attention_forward 2x8x3x4, 2x16x3x4, 2x16x3x4").operations,
            2.0 * 2 * 3 * 8 * 16 * (4 + 4));
  const Work work = of("aten::conv2d 2x3x8x8, 16x3x5x5, 16");
  EXPECT_EQ(work.family, Family::convolution);
  EXPECT_EQ(work.operations, 2.0 * 2 * 16 * 64 * 3 * 25);
}

TEST(Operators, WhatIsNotKnownIsMemoryTraffic) {
  for (const char* frame :
       {"my::op 4x8, 2x2", "aten::mm 4x8, 4x8", "aten::bmm 4x8", "aten::conv2d 4"})
    EXPECT_EQ(of(frame).family, Family::unknown) << frame;
  EXPECT_EQ(of("my::op 4x8, 2x2").bytes, 4.0 * (32 + 4 + 32));
}

}  // namespace
}  // namespace aiflame::forecast
