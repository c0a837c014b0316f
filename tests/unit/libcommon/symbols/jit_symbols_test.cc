// SPDX-License-Identifier: MIT
#include "libcommon/symbols/jit_symbols.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(JitSymbols, ReadsMapFilesThatProgramsWrite) {
  const JitSymbols jit(
      "1000 100 LMain;run(I)V with blanks\n0x2000 0x10 hex\nnot a line\n3000 10\n1000 80 again\n");
  EXPECT_EQ(jit.at(0x1000), "again");
  EXPECT_EQ(jit.at(0x1090), "LMain;run(I)V with blanks");
  EXPECT_EQ(jit.at(0x200f), "hex");
  EXPECT_EQ(jit.at(0x2010), std::nullopt);
  EXPECT_EQ(jit.at(0x3000), std::nullopt);
  EXPECT_EQ(JitSymbols("").at(0), std::nullopt);
}

}  // namespace
}  // namespace aiflame
