// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/python/mixed_stack.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

using Frames = std::vector<uint64_t>;

// the interpreter's loop is at 100 to 200; 1, 2, 3 are Python functions
TEST(MixedStack, ARunFollowsItsCFrame) {
  EXPECT_EQ(mix({10, 150, 20, 160, 30}, {{1, 2, 3}, {2, 3}}, 100, 200),
            (Frames{10, 150, 1, 2, 20, 160, 3, 30}));
}

TEST(MixedStack, RunsWithoutACFrameComeLast) {
  EXPECT_EQ(mix({10, 20}, {{1, 2, 3}, {1, 3}}, 100, 200), (Frames{10, 20, 1, 2, 3}));
  EXPECT_EQ(mix({10, 150}, {{1, 2, 3}, {1, 3}}, 100, 200), (Frames{10, 150, 1, 2, 3}));
  EXPECT_EQ(mix({}, {{1}, {1}}, 100, 200), (Frames{1}));
}

TEST(MixedStack, ACFrameWithoutARunStaysAlone) {
  EXPECT_EQ(mix({150, 10, 160}, {{1}, {1}}, 100, 200), (Frames{150, 1, 10, 160}));
  EXPECT_EQ(mix({150, 10}, {}, 100, 200), (Frames{150, 10}));
}

// a return address may be the loop's end, and is never its beginning
TEST(MixedStack, ReturnAddressesOfTheLoop) {
  EXPECT_EQ(mix({100, 7}, {{1}, {1}}, 100, 200), (Frames{100, 7, 1}));
  EXPECT_EQ(mix({200, 7}, {{1}, {1}}, 100, 200), (Frames{200, 1, 7}));
}

}  // namespace
}  // namespace aiflame::record
