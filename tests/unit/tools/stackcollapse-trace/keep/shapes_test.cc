// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/shapes.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

TEST(Shapes, AsPeopleWriteThem) {
  EXPECT_EQ(shapes_text("[[64,32],[],[[8],[9]]]"), "64x32, 8, 9");
  EXPECT_EQ(shapes_text("[[],[]]"), "");
  EXPECT_EQ(shapes_text("[[1],[2,3]"), "1, 2x3");
  EXPECT_EQ(shapes_text("[[12"), "12");
  EXPECT_EQ(shapes_text(""), "");
}

TEST(Shapes, TypesOfFloatingPointNumbersHaveShortNames) {
  EXPECT_EQ(data_type("c10::BFloat16"), "bf16");
  EXPECT_EQ(data_type("c10::Half"), "fp16");
  EXPECT_EQ(data_type("float"), "fp32");
  EXPECT_EQ(data_type("double"), "fp64");
  EXPECT_EQ(data_type("c10::Float8_e4m3fn"), "fp8");
  for (const char* other : {"", "long int", "Scalar", "TensorList"})
    EXPECT_EQ(data_type(other), "");
}

}  // namespace
}  // namespace aiflame::trace
