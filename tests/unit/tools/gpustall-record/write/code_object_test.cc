// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tools/gpustall-record/write/objects.h"

namespace aiflame::record {
namespace {

std::string name_at(const CodeObject& object, uint64_t address) {
  const CodeObject::Function* found = object.function_at(address);
  return found == nullptr ? "" : found->name;
}

// A cubin's kernel holds the functions that were not inlined into it.
TEST(CodeObject, OfFunctionsInsideOneAnotherTheInnermostCounts) {
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

TEST(CodeObject, AKernelsFirstAddressCounts) {
  auto object = std::make_shared<CodeObject>();
  object->address = 100;
  object->bytes = 300;
  object->path = "/a";
  object->functions = {{100, 10, "kernel", 1, true}, {200, 10, "kernel", 1, true}};
  Objects objects;
  objects.load(7, object);
  ASSERT_EQ(objects.addresses(7, 1).size(), 1u);
  EXPECT_EQ(objects.addresses(7, 1).begin()->first, 100u);
  objects.unload(7, 100);
  EXPECT_TRUE(objects.addresses(7, 1).empty());
}

}  // namespace
}  // namespace aiflame::record
