// SPDX-License-Identifier: MIT
#include "libcommon/symbols/kallsyms.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>

namespace aiflame {
namespace {

TEST(Kallsyms, AFunctionLastsUntilTheNext) {
  Kallsyms kernel(
      "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000100 t work\t[module]\n"
      "ffffffff81000080 A not_code\nffffffff81000200 D data\nodd line\nffffffff81000300\n");
  EXPECT_EQ(kernel.at(0xffffffff81000000), "_text");  // of two names, the last
  EXPECT_EQ(kernel.at(0xffffffff810000ff), "_text");
  EXPECT_EQ(kernel.at(0xffffffff81000101), "work");
  EXPECT_EQ(kernel.at(0xffffffff81000000 - 1), std::nullopt);
  EXPECT_EQ(kernel.at(0xffffffff81009000), std::nullopt);
}

TEST(Kallsyms, RelocatesToTheAddressesOfAnotherBoot) {
  Kallsyms kernel("ffffffff91000000 T _text\nffffffff91000100 T work\n");
  kernel.relocate("_text", 0xffffffff81000000);
  EXPECT_EQ(kernel.at(0xffffffff81000110), "work");
  EXPECT_EQ(kernel.at(0xffffffff80ffffff), std::nullopt);
}

TEST(Kallsyms, KnowsTheRunningKernel) {
  struct utsname running {};
  ASSERT_EQ(uname(&running), 0);
  EXPECT_FALSE(is_other_kernel(running.release, running.machine));
  EXPECT_FALSE(is_other_kernel("", running.machine));
  EXPECT_FALSE(is_other_kernel(running.release, ""));
  EXPECT_FALSE(is_other_kernel("", ""));
  EXPECT_TRUE(is_other_kernel("5.4.0-other", running.machine));
  EXPECT_TRUE(is_other_kernel(running.release, "other"));
}

TEST(Kallsyms, HiddenAddressesGiveNoFunctions) {
  EXPECT_TRUE(Kallsyms("0000000000000000 T _text\n0000000000000000 T work\n").empty());
  EXPECT_TRUE(Kallsyms("").empty());
}

TEST(Kallsyms, ReadsAnyOrderAndWidth) {
  Kallsyms kernel("c0000200 t later\nc0000100 T first\t[module]\nFFFFFFFFC0000300 T wide\n");
  EXPECT_EQ(kernel.at(0xc0000100), "first");
  EXPECT_EQ(kernel.at(0xc0000201), "later");
  EXPECT_EQ(kernel.at(0xffffffffc0000301), "wide");
  EXPECT_EQ(kernel.start_of(0xffffffffc0000301), 0xffffffffc0000300);
}

}  // namespace
}  // namespace aiflame
