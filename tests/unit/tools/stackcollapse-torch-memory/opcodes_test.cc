// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/opcodes.h"

#include <gtest/gtest.h>

namespace aiflame::torch_memory {
namespace {

TEST(Opcodes, HaveTheNamesOfPickletools) {
  EXPECT_EQ(opcode_name('R'), "REDUCE");
  EXPECT_EQ(opcode_name(kGlobal), "GLOBAL");
  EXPECT_EQ(opcode_name(0x98), "READONLY_BUFFER");
  EXPECT_EQ(opcode_name(0xff), "opcode 0xff");
  EXPECT_EQ(opcode_name(0), "opcode 0x00");
}

}  // namespace
}  // namespace aiflame::torch_memory
