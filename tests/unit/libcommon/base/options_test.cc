// SPDX-License-Identifier: MIT
#include "libcommon/base/options.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(Options, ListsTheValuesOfItsOptions) {
  Options options(Options::Style::perl, "", "");
  std::string level, match, free, hidden;
  options.text("level,l", level, "NAME", "");
  options.text("match", match, "structure|offset", "");
  options.text("title", free, "TEXT", "");
  options.text("old", hidden, "a|b", "");
  options.hidden();
  options.values("level", "low, mid,high");
  std::string program = "test", list = "--list-values";
  char* arguments[] = {program.data(), list.data()};
  testing::internal::CaptureStdout();
  EXPECT_FALSE(options.parse(2, arguments));
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "-l low mid high\n--level low mid high\n--match structure offset\n");
}

}  // namespace
}  // namespace aiflame
