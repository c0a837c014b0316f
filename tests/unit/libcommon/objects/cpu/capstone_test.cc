// SPDX-License-Identifier: MIT
#include "libcommon/objects/cpu/capstone.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(Capstone, NamesTheFirstInstruction) {
  Capstone capstone;
  EXPECT_EQ(capstone.mnemonic(std::string_view("\xf3\x0f\x59\x08\xc3", 5)), "mulss");
  EXPECT_EQ(capstone.mnemonic("\xc3"), "ret");
  EXPECT_EQ(capstone.mnemonic(""), "");
  EXPECT_EQ(capstone.mnemonic("\x06"), "");  // no instruction in 64-bit mode
  EXPECT_EQ(capstone.mnemonic("\xf3"), "");  // incomplete
}

}  // namespace
}  // namespace aiflame
