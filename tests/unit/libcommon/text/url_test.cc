// SPDX-License-Identifier: MIT
#include "libcommon/text/url.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(Url, NothingLeadsElsewhere) {
  EXPECT_EQ(url_of_path("a b/c#d.html"), "./a%20b/c%23d.html");
  EXPECT_EQ(url_of_path("javascript:x"), "./javascript:x");
  EXPECT_EQ(url_of_path("/a?b"), "/a%3Fb");
  EXPECT_EQ(url_text("k.cl:10"), "k.cl:10");
  EXPECT_EQ(url_text("\"\xc3\xa9"), "%22%C3%A9");
}

}  // namespace
}  // namespace aiflame
