// SPDX-License-Identifier: MIT
#include "libcommon/import/wanted_ranges.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

TEST(WantedRanges, AreThoseOfTheName) {
  ImportedStacks stacks;
  const RangeChoice choice({"decode"});
  WantedRanges ranges(choice, stacks);
  EXPECT_TRUE(ranges.count(stacks.frame("decode_[r]")));
  EXPECT_TRUE(ranges.count(stacks.frame("decode #7_[r]")));
  EXPECT_FALSE(ranges.count(stacks.frame("prefill_[r]")));
  ranges.finish();
  EXPECT_NO_THROW(stacks.ranges.require(choice));
}

TEST(WantedRanges, WhereThereIsNoneTheCommonNamesAreTold) {
  ImportedStacks stacks;
  const RangeChoice choice({"decode"});
  WantedRanges ranges(choice, stacks);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(ranges.count(stacks.frame("prefill_[r]")));
  ranges.finish();
  try {
    stacks.ranges.require(choice);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("prefill"), std::string::npos);
  }
}

}  // namespace
}  // namespace aiflame
