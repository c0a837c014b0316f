// SPDX-License-Identifier: MIT
#include "libcommon/objects/cpu/arm64_disassembler.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/device/device_symbolizer.h"

namespace aiflame {
namespace {

// Answers as where LLVM is not installed.
LlvmDisassembler::Prepare missing() {
  return [] { return [](std::string_view) { return std::string("l"); }; };
}

constexpr std::string_view kReturn = "\xc0\x03\x5f\xd6", kCall{"\xf4\xff\xff\x97", 4};
constexpr std::string_view kFma{"\x20\xcc\x22\x4e", 4};  // fmla v0.4s, v1.4s, v2.4s
constexpr std::string_view kSve{"\x20\x00\xe2\x65", 4};  // fmla z0.d, p0/m, z1.d, z2.d

TEST(Arm64Disassembler, NamesInstructions) {
  Arm64Disassembler arm(missing());
  const LlvmInstruction back = arm.instruction(kReturn, 0);
  if (back.mnemonic.unnamed == Unnamed::no_disassembler) GTEST_SKIP() << "no Capstone";
  EXPECT_EQ(back.mnemonic.name, "ret");
  EXPECT_EQ(back.size, 4u);
  // relative to its address
  const LlvmInstruction call = arm.instruction(kCall, 0x430);
  EXPECT_EQ(call.mnemonic.name, "bl");
  EXPECT_EQ(call.operands, "#0x400");
  EXPECT_EQ(arm.instruction(kFma, 0).mnemonic.name, "fmla");
  EXPECT_EQ(arm.instruction(kReturn.substr(0, 3), 0).mnemonic.unnamed, Unnamed::undecodable);
}

TEST(Arm64Disassembler, SveIsNamedByLlvm) {
  LlvmDisassembler llvm;
  const LlvmTarget target = {"aarch64-unknown-linux-gnu", "neoverse-n2"};
  if (llvm.unnamed(target) != Unnamed::no) GTEST_SKIP() << "no libLLVM (libllvm15)";
  Arm64Disassembler arm;
  EXPECT_EQ(arm.instruction(kSve, 0).mnemonic.name, "fmla");
}

TEST(Arm64Disassembler, WithoutLlvmOneWarningSaysWhatIsMissing) {
  Arm64Disassembler arm(missing());
  if (arm.instruction(kReturn, 0).size == 0) GTEST_SKIP() << "no Capstone";
  testing::internal::CaptureStderr();
  if (arm.instruction(kSve, 0).size != 0) {
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    GTEST_SKIP() << "this Capstone knows SVE";
  }
  EXPECT_EQ(arm.instruction(kSve, 0).mnemonic.unnamed, Unnamed::no_disassembler);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("instructions of SVE are not named: libLLVM is not installed"), said.npos);
  EXPECT_EQ(said.find("instructions", said.find("instructions") + 1), said.npos) << said;
}

TEST(Arm64Disassembler, NamesTheCodeOfAnObject) {
  DeviceSymbolizer symbolizer;
  const std::string path = "tests/data/aarch64/frames.so";
  const CodeListing listing = symbolizer.listing_at({path, 0x424});
  if (listing.unnamed == Unnamed::no_disassembler) GTEST_SKIP() << "no Capstone";
  EXPECT_EQ(listing.symbol, "through");
  ASSERT_EQ(listing.code.size(), 12u);
  EXPECT_EQ(listing.code.front().mnemonic, "stp");
  EXPECT_EQ(listing.code.back().mnemonic, "ret");
  EXPECT_EQ(symbolizer.mnemonic_at({path, 0x430}).name, "bl");
  // the ways between them are not known
  EXPECT_TRUE(symbolizer.code_flow_at({path, 0x424}).empty());
}

}  // namespace
}  // namespace aiflame
