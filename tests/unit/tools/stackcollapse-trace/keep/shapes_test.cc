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

}  // namespace
}  // namespace aiflame::trace
