// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/strip_hex.h"

#include <gtest/gtest.h>

namespace aiflame::diff {
namespace {

TEST(StripHex, Strips) {
  std::string out;
  strip_hex("a;0x7f3Ab+0x10;0x;x0x1_[g]", out);
  EXPECT_EQ(out, "a;0x...+0x...;0x;x0x..._[g]");
}

}  // namespace
}  // namespace aiflame::diff
