// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/name_attributes.h"

#include <gtest/gtest.h>

namespace aiflame::svg {
namespace {

TEST(SafeLink, LeadsToAPlace) {
  for (const char* url : {"http://a/b?c:d", "HTTPS://a", "mailto:a@b", "a/b:c", "#a:b", "?a:b",
                          "/a", "a", "", "//host/a:b", "file:///a"})
    EXPECT_TRUE(is_safe_link(url)) << url;
}

TEST(SafeLink, RunsNothing) {
  for (const char* url :
       {"javascript:a", "JavaScript:a", " javascript:a", "java\tscript:a", "\x01javascript:a",
        "data:text/html,a", "vbscript:a", "blob:a", ":", "x:"})
    EXPECT_FALSE(is_safe_link(url)) << url;
}

}  // namespace
}  // namespace aiflame::svg
