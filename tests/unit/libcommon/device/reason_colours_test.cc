// SPDX-License-Identifier: MIT
#include "libcommon/device/reason_colours.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace aiflame {
namespace {

TEST(ReasonColours, EachKindHasItsOwn) {
  std::set<std::string> all;
  for (size_t i = 0; i < StallReason::kCategories; ++i)
    all.insert(hex_colour_of_reasons(static_cast<StallReason::Category>(i)));
  EXPECT_EQ(all.size(), StallReason::kCategories);
  EXPECT_EQ(hex_colour_of_reasons(StallReason::Category::memory), "#9c2a6b");
}

}  // namespace
}  // namespace aiflame
