// SPDX-License-Identifier: MIT
#include "libcommon/import/pickle_opcodes.h"

#include <gtest/gtest.h>

namespace aiflame::pickle {
namespace {

TEST(PickleOpcodes, HaveTheNamesOfPickletools) {
  EXPECT_EQ(opcode_name('R'), "REDUCE");
  EXPECT_EQ(opcode_name(kGlobal), "GLOBAL");
  EXPECT_EQ(opcode_name(0x98), "READONLY_BUFFER");
  EXPECT_EQ(opcode_name(0xff), "opcode 0xff");
  EXPECT_EQ(opcode_name(0), "opcode 0x00");
}

}  // namespace
}  // namespace aiflame::pickle
