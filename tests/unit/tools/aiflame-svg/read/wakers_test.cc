// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read/wakers.h"

#include <gtest/gtest.h>

namespace aiflame::svg {
namespace {

TEST(Wakers, FramesAfterTheFirstBoundary) {
  EXPECT_EQ(mark_wakers("a;b;--;c;--;d"), "a;b;--;c_[w];--;d_[w]");
  EXPECT_EQ(mark_wakers("a;b"), "a;b");
  EXPECT_EQ(mark_wakers("--;a"), "--;a");
}

}  // namespace
}  // namespace aiflame::svg
