// SPDX-License-Identifier: MIT
#include "libcommon/process/find_program.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(FindProgram, ProgramsAreFoundOnPath) {
  EXPECT_EQ(find_program("./x"), "./x");
  EXPECT_EQ(find_program("no-program-has-this-name"), "");
  EXPECT_EQ(find_program("sh").substr(0, 1), "/");
}

}  // namespace
}  // namespace aiflame
