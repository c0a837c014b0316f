// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read/stack_lexer.h"

#include <gtest/gtest.h>

namespace aiflame::svg {
namespace {

TEST(ReverseStack, Reverses) {
  std::string out;
  reverse_stack("a;b;c", out);
  EXPECT_EQ(out, "c;b;a");
  reverse_stack("a;;b;", out);
  EXPECT_EQ(out, "b;;a");
  reverse_stack("", out);
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace aiflame::svg
