// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/code_map.h"

#include <gtest/gtest.h>

#include <memory>

namespace aiflame::record {
namespace {

TEST(CodeMap, AKernelsFirstAddressCounts) {
  auto object = std::make_shared<CodeObject>();
  object->address = 100;
  object->bytes = 300;
  object->path = "/a";
  object->functions = {{100, 10, "kernel", 1, true}, {200, 10, "kernel", 1, true}};
  CodeMap map;
  map.load(7, object);
  ASSERT_EQ(map.kernel_addresses(7, 1).size(), 1u);
  EXPECT_EQ(map.kernel_addresses(7, 1).begin()->first, 100u);
  map.unload(7, 100);
  EXPECT_TRUE(map.kernel_addresses(7, 1).empty());
}

}  // namespace
}  // namespace aiflame::record
