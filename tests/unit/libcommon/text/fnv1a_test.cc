// SPDX-License-Identifier: MIT
#include "libcommon/text/fnv1a.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

// The values of the hash's authors.
static_assert(fnv1a("") == 0xcbf29ce484222325);
static_assert(fnv1a("a") == 0xaf63dc4c8601ec8c);
static_assert(fnv1a("foobar") == 0x85944171f73967e8);

TEST(Fnv1a, BytesAbove127AreBytes) {
  EXPECT_NE(fnv1a("\x80"), fnv1a("\xff"));
  EXPECT_EQ(fnv1a(std::string_view("\0", 1)), 0xaf63bd4c8601b7dfu);
}

}  // namespace
}  // namespace aiflame
