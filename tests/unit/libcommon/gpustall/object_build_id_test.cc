// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/object_build_id.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(ObjectBuildId, OfAllProcesses) {
  const auto object = parse_build_id("build_id", "0123abcd /usr/lib/a : b.so");
  ASSERT_TRUE(object);
  EXPECT_FALSE(object->pid);
  EXPECT_EQ(object->build_id, "0123abcd");
  EXPECT_EQ(object->path, "/usr/lib/a : b.so");
  EXPECT_EQ(build_id_text(*object), "build_id : 0123abcd /usr/lib/a : b.so");
}

TEST(ObjectBuildId, OfOneProcess) {
  const auto object = parse_build_id("build_id 4711", "? /a");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->pid, 4711);
  EXPECT_EQ(object->build_id, "");
  EXPECT_EQ(build_id_text(*object), "build_id 4711 : ? /a");
}

TEST(ObjectBuildId, WhatIsMalformedIsNothing) {
  EXPECT_FALSE(parse_build_id("build_ids", "0123 /a"));
  EXPECT_FALSE(parse_build_id("build_id x", "0123 /a"));
  EXPECT_FALSE(parse_build_id("build_id", "0123"));
  EXPECT_FALSE(parse_build_id("build_id", "0123 "));
  // it would name a file elsewhere
  EXPECT_FALSE(parse_build_id("build_id", "../../etc /a"));
  EXPECT_FALSE(parse_build_id("build_id", "012 /a"));
  EXPECT_FALSE(parse_build_id("build_id", std::string(130, 'a') + " /a"));
}

}  // namespace
}  // namespace aiflame
