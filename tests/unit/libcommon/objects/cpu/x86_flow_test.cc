// SPDX-License-Identifier: MIT
#include "libcommon/objects/cpu/x86_flow.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

// Instructions of one byte each, at 0x100.
std::vector<ListedInstruction> code(
    const std::vector<std::pair<std::string, std::string>>& instructions) {
  std::vector<ListedInstruction> out;
  for (const auto& [mnemonic, operands] : instructions)
    out.push_back({0x100 + out.size(), 1, mnemonic, operands});
  return out;
}

TEST(X86Flow, JumpsLeadToTheirTargets) {
  const Flow flow = x86_flow(code(
      {{"je", "3"}, {"jmp", "0x0"}, {"notrack jmp", "rax"}, {"loopne", "0x1"}, {"jne", "0x99"}}));
  ASSERT_EQ(flow.jumps.size(), 3u);
  EXPECT_EQ(flow.jumps[0].to, 3u);
  EXPECT_EQ(flow.jumps[1].to, 0u);
  EXPECT_EQ(flow.jumps[2].from, 3u);
  EXPECT_EQ(flow.jumps[2].to, 1u);
  EXPECT_EQ(flow.falls_through, std::vector<bool>({true, false, false, true, true}));
}

TEST(X86Flow, CallsComeBackAndReturnsEnd) {
  const Flow flow =
      x86_flow(code({{"call", "0x0"}, {"ret", ""}, {"ud2", ""}, {"", ""}, {"bnd ret", ""}}));
  EXPECT_TRUE(flow.jumps.empty());
  EXPECT_EQ(flow.falls_through, std::vector<bool>({true, false, false, false, false}));
}

TEST(X86Flow, LlvmTellsDistances) {
  EXPECT_EQ(x86_target("jne", "-7", 0x20), 0x19u);
  EXPECT_EQ(x86_target("bnd jmp", "16", 0x20), 0x30u);
  EXPECT_EQ(x86_target("call", "0", 0x20), 0x20u);
  EXPECT_EQ(x86_target("loop", "-33", 0x20), UINT64_MAX);
  EXPECT_EQ(x86_target("jmp", "rax", 0x20), std::nullopt);
  EXPECT_EQ(x86_target("push", "16", 0x20), std::nullopt);
}

TEST(X86Flow, NoCodeHasNoWays) {
  EXPECT_TRUE(x86_flow({}).falls_through.empty());
}

}  // namespace
}  // namespace aiflame
