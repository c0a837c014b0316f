// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/idle_kind.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(IdleKind, WordsAndBack) {
  EXPECT_EQ(idle_word(IdleKind::waits), "waits");
  EXPECT_EQ(idle_word(IdleKind::unplaced), "unplaced");
  for (int i = 0; i <= static_cast<int>(IdleKind::unplaced); ++i) {
    const auto kind = static_cast<IdleKind>(i);
    EXPECT_EQ(find_idle_kind(idle_word(kind)), kind);
  }
  EXPECT_FALSE(find_idle_kind("wait"));
  EXPECT_FALSE(find_idle_kind(""));
}

}  // namespace
}  // namespace aiflame
