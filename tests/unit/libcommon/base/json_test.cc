// SPDX-License-Identifier: MIT
#include "libcommon/base/json.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(Json, StringsAreEscaped) {
  EXPECT_EQ(json_string(""), "\"\"");
  EXPECT_EQ(json_string("a\"b\\c/"), "\"a\\\"b\\\\c/\"");
  EXPECT_EQ(json_string("\x1b\n\x7f\xc2\x9b"), "\"\\u001b\\u000a\\u007f\\u009b\"");
  EXPECT_EQ(json_string("\xc3\xa4\xf0\x9f\x94\xa5"), "\"\xc3\xa4\xf0\x9f\x94\xa5\"");
}

TEST(Json, InvalidUtf8BecomesCodePointsOfTheSameNumbers) {
  EXPECT_EQ(json_string("\xff"), "\"\\u00ff\"");
  // the beginning of a character, cut off
  EXPECT_EQ(json_string("a\xe2\x82"), "\"a\\u00e2\\u0082\"");
}

}  // namespace
}  // namespace aiflame
