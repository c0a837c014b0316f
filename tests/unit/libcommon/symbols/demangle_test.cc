// SPDX-License-Identifier: MIT
#include "libcommon/symbols/demangle.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

TEST(Demangle, CppWithAndWithoutParameters) {
  EXPECT_EQ(demangle("_ZN4mine5ScaleILi2EE3runEPf", false), "mine::Scale<2>::run");
  EXPECT_EQ(demangle("_ZN4mine5ScaleILi2EE3runEPf", true), "mine::Scale<2>::run(float*)");
}

TEST(Demangle, Rust) {
  EXPECT_EQ(demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", false),
            "core::fmt::Write::write_fmt");
}

TEST(Demangle, LeavesOtherNamesAlone) {
  for (const char* name : {"main", "", "_", "_Z", "_ZN", "_start", "_pocl_kernel_a_workgroup"})
    EXPECT_EQ(demangle(name, true), name);
}

// Each parameter `A<x,x>` names the preceding one twice: 60 of them expand to 2^60 times the text
// of the first.
TEST(Demangle, ANameThatUnfoldsForEverIsReturnedAsItIs) {
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f1AIiiE";
  for (size_t i = 0; i < 60; ++i) {
    // substitutions are numbered in base 36: even ones are `A`, odd ones `A<…>`
    std::string number(1, digits[2 * i % 36]);
    if (2 * i >= 36) number.insert(0, 1, digits[2 * i / 36]);
    name.append("1AIS").append(number).append("_S").append(number).append("_E");
  }
  EXPECT_EQ(demangle(name, true), name);
  EXPECT_LT(demangle("_Z" + std::string(100000, 'N'), true).size(), size_t{300} << 10);
}

// Found by fuzzing: the path refers back to itself, and the walk took all of the stack.
TEST(Demangle, ARustPathThatRefersToItselfEnds) {
  for (const std::string name : {"_RNvB_1a", "_RNvNvB_1a1b", "_RINvC1a1bB_E"}) {
    demangle(name, true);
    demangle(name, false);
  }
  EXPECT_EQ(demangle("_RNvB_1a", true), demangle("_RNvB_1a", false));
}

// perf prints names of more than 1 KB as they are, and AMD's kernels have them.
TEST(Demangle, LongNames) {
  std::string mangled = "_ZN", name;
  for (int i = 0; i < 300; ++i) {
    mangled += "4abcd";
    name += i == 0 ? "abcd" : "::abcd";
  }
  mangled += "Ev";
  EXPECT_EQ(demangle(mangled, true), name + "()");
  EXPECT_EQ(demangle(mangled, false), mangled);
}

}  // namespace
}  // namespace aiflame
