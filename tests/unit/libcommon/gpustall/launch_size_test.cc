// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/launch_size.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(LaunchSize, TextAndBack) {
  const LaunchSize sizes[] = {{},
                              {{1024, 1, 1}, {}, 0},
                              {{}, {16, 16, 1}, 0},
                              {{1024, 512, 3}, {16, 16, 1}, 4096},
                              {{UINT64_MAX, 1, 1}, {1, 1, 1}, UINT64_MAX}};
  for (const LaunchSize& size : sizes) EXPECT_EQ(parse_launch_size(launch_size_text(size)), size);
  EXPECT_EQ(launch_size_text(sizes[0]), "?");
  EXPECT_EQ(launch_size_text(sizes[3]), "items 1024x512x3 group 16x16x1 local 4096");
  EXPECT_EQ(parse_launch_size("later 7 items 2x1x1"), (LaunchSize{{2, 1, 1}, {}, 0}));
}

TEST(LaunchSize, Malformed) {
  for (const char* text : {"items", "items 1", "items 1x2", "items 1x2x3x4", "items 1x2x-3",
                           "items 99999999999999999999x1x1", "group x", "local 1k"})
    EXPECT_EQ(parse_launch_size(text), std::nullopt) << text;
}

TEST(LaunchSize, ItemsOfAGroup) {
  EXPECT_EQ((LaunchSize{{}, {16, 16, 2}, 0}).group_items(), 512u);
  EXPECT_EQ((LaunchSize{{}, {UINT64_MAX, UINT64_MAX, 2}, 0}).group_items(), 0u);
  EXPECT_EQ(extent_text({64, 1, 1}), "64");
  EXPECT_EQ(extent_text({64, 2, 1}), "64x2");
  EXPECT_EQ(extent_text({64, 1, 2}), "64x1x2");
}

}  // namespace
}  // namespace aiflame
