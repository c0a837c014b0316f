// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/code_object.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

std::string name_at(const CodeObject& object, uint64_t address) {
  const CodeObject::Function* found = object.function_at(address);
  return found == nullptr ? "" : found->name;
}

// A cubin's kernel contains the functions that were not inlined into it.
TEST(CodeObject, TheInnermostFunctionCounts) {
  CodeObject object;
  object.functions = {{100, 100, "kernel", 1, true},
                      {120, 20, "$kernel$one", 1, false},
                      {160, 10, "$kernel$two", 1, false},
                      {300, 50, "other", 2, true}};
  EXPECT_EQ(name_at(object, 99), "");
  EXPECT_EQ(name_at(object, 119), "kernel");
  EXPECT_EQ(name_at(object, 120), "$kernel$one");
  EXPECT_EQ(name_at(object, 139), "$kernel$one");
  EXPECT_EQ(name_at(object, 140), "kernel");
  EXPECT_EQ(name_at(object, 169), "$kernel$two");
  EXPECT_EQ(name_at(object, 199), "kernel");
  EXPECT_EQ(name_at(object, 200), "");
  EXPECT_EQ(name_at(object, 349), "other");
}

}  // namespace
}  // namespace aiflame::record
