// SPDX-License-Identifier: MIT
#include "libcommon/objects/cpu/x86_disassembler.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

const LlvmTarget kTarget = {"x86_64-unknown-linux-gnu", ""};

// Answers as where LLVM is not installed.
LlvmDisassembler::Prepare missing() {
  return [] { return [](std::string_view) { return std::string("l"); }; };
}

constexpr struct {
  std::string_view code;
  const char* name;
} kInstructions[] = {
    {{"\xf3\x0f\x59\x08", 4}, "mulss"},
    {{"\xf0\x0f\xb1\x13", 4}, "lock cmpxchg"},
    {{"\xf3\x48\xab", 3}, "rep stosq"},
    {{"\x48\x8d\x04\x37", 4}, "lea"},
    {{"\x62\xf1\x65\x48\x72\xc8\x07", 7}, "vprold"},
    {{"\x62\xf3\x7d\x48\x25\xd1\x36", 7}, "vpternlogd"},
    {{"\xc5\xfb\x93\xc0", 4}, "kmovd"},
    {{"\x67\x62\xf2\x7d\x48\xa0\x04\x88", 8}, ""},  // a scatter needs a mask
    {{"\x62\xf2\x7d\x49\xa0\x04\x88", 7}, "vpscatterdd"},
    // Capstone 4 calls these vfmadd213ss and vrcp14ss
    {{"\x62\xf2\xfd\x28\xa9\xcd", 6}, "vfmadd213sd"},
    {{"\x62\xf2\xfd\x28\x4d\xe5", 6}, "vrcp14sd"},
    {"\x06", ""},  // no instruction in 64-bit mode
    {"\xf3", ""},  // incomplete
    {"", ""},
};

TEST(X86Disassembler, NamesWhatCapstoneKnowsAndWhatItDoesNot) {
  LlvmDisassembler llvm;
  if (llvm.unnamed(kTarget) != Unnamed::no) GTEST_SKIP() << "no libLLVM (libllvm15)";
  X86Disassembler x86;
  for (const auto& each : kInstructions) {
    const Mnemonic it = x86.name(each.code);
    EXPECT_EQ(it.name, each.name);
    EXPECT_EQ(it.unnamed, *each.name == '\0' ? Unnamed::undecodable : Unnamed::no) << each.name;
  }
}

TEST(X86Disassembler, WithoutLlvmOneWarningSaysWhatIsMissing) {
  X86Disassembler x86(missing());
  testing::internal::CaptureStderr();
  EXPECT_EQ(x86.name("\xc3").name, "ret");
  EXPECT_EQ(x86.name("\x06").unnamed, Unnamed::undecodable);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  // one of AVX-512 that Capstone knows
  EXPECT_EQ(x86.name({"\x62\xf1\x7c\x48\x58\xc1", 6}).name, "vaddps");
  testing::internal::CaptureStderr();
  if (x86.name(kInstructions[4].code).name == kInstructions[4].name) {
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    GTEST_SKIP() << "this Capstone knows what version 4 does not";
  }
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(x86.name(kInstructions[4].code).unnamed, Unnamed::no_disassembler);
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_NE(
      printed.find("warning: instructions of AVX-512 are not named: libLLVM is not installed\n"),
      std::string::npos);
  EXPECT_EQ(printed.find("warning"), printed.rfind("warning"));
}

}  // namespace
}  // namespace aiflame
