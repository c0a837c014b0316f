// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/launches.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aiflame::svg {
namespace {

TEST(Launches, WhatSizesHaveInCommonIsSaidOnce) {
  LaunchFacts facts;
  for (const char* size : {"launches 9, items 4096x1x8, group 128x1x1, local 31744",
                           "launches 5, items 2048x1x8, group 128x1x1, local 31744",
                           "launches 2, items 100x1x1, group 128x1x1, local 512"})
    facts.read("# aiflame-launch: " + std::string(size) +
               ", registers 120, occupancy 25, limit registers, kernel k_[G]");
  const LaunchTexts texts = launch_texts(facts, LaunchWords::cuda);
  EXPECT_EQ(
      texts.at("k_[G]"),
      (std::vector<std::string>{
          "9 launches of 32x1x8 blocks of 128 threads", "120 registers, 31,744 B of shared memory",
          "occupancy 25% at most (estimate), limited by registers",
          "5 launches of 16x1x8 blocks of 128 threads",
          "2 launches of 100 threads, in blocks of 128", "120 registers, 512 B of shared memory"}));
}

}  // namespace
}  // namespace aiflame::svg
