// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/reason_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

// "sbid sync": the reasons in these stacks.
std::string reasons(const std::vector<std::string>& stacks, bool reversed = false) {
  StackSorter sorter;
  for (const std::string& stack : stacks) sorter.add(stack, 1);
  std::string out;
  for (const auto& [name, known] : find_reason_names(merged_tree(std::move(sorter)), reversed))
    out += (out.empty() ? "" : " ") + name + (known == nullptr ? "?" : "");
  return out;
}

TEST(ReasonNames, AreThoseOfTheTable) {
  EXPECT_EQ(reasons({"a;-;k_[G];send.ugm_[g];sbid_[g];0x10_[g]"}), "sbid_[g]");
  EXPECT_EQ(reasons({"a;-;k_[G];stl_gmem_[g];0x10_[g]", "a;-;k_[G];isu_vec_[g]"}),
            "isu_vec_[g] stl_gmem_[g]");
}

TEST(ReasonNames, OnlyOfTheDevice) {
  EXPECT_EQ(reasons({"a;wait;sync_[k];active_[G];main"}), "");
}

// `barrier` is NVIDIA's reason, and an instruction of Intel's.
TEST(ReasonNames, OneVendorsReasonIsAnothersInstruction) {
  EXPECT_EQ(reasons({"k_[G];barrier_[g];sync_[g]", "k_[G];mov_[g];sbid_[g]"}), "sbid_[g] sync_[g]");
  EXPECT_EQ(reasons({"k_[G];sync_[g];barrier_[g]", "k_[G];mov_[g];sbid_[g]"}), "sbid_[g] sync_[g]");
  // as many of both vendors: the upper one
  EXPECT_EQ(reasons({"k_[G];barrier_[g];sync_[g]"}), "sync_[g]");
  // nothing speaks against it
  EXPECT_EQ(reasons({"k_[G];BAR_[g];barrier_[g]"}), "barrier_[g]");
}

TEST(ReasonNames, WhatStandsOnAnInstructionIsOneThatIsNotKnown) {
  EXPECT_EQ(reasons({"k_[G];mov_[g];shiny_[g];0x10_[g]"}), "shiny_[g]?");
  EXPECT_EQ(reasons({"k_[G];mov_[g];0x10_[g]"}), "");
  EXPECT_EQ(reasons({"k_[G];mov_[g];waits for send at 0x8_[g]"}), "");
  // but not the instruction with a reason's name
  EXPECT_EQ(reasons({"k_[G];mov_[g];sbid_[g]", "k_[G];mad_[g];barrier_[g];sync_[g]"}),
            "sbid_[g] sync_[g]");
}

TEST(ReasonNames, AreTheSameInATreeMergedFromTheLeaves) {
  EXPECT_EQ(reasons({"0x10_[g];shiny_[g];mov_[g];k_[G]"}, true), "shiny_[g]?");
  EXPECT_EQ(reasons({"sync_[g];barrier_[g];k_[G]"}, true), "sync_[g]");
}

// The file describes each of them.
TEST(ReasonNames, ThousandsThatAreNotKnownAreNone) {
  std::vector<std::string> stacks;
  for (int i = 0; i < 3000; ++i) stacks.push_back("k_[G];mov_[g];odd" + std::to_string(i) + "_[g]");
  EXPECT_EQ(reasons(stacks), "");
}

TEST(ReasonNames, HaveACategory) {
  EXPECT_EQ(category_of(find_stall_reason("sbid")), StallReason::Category::memory);
  EXPECT_EQ(category_of(nullptr), StallReason::Category::other);
}

}  // namespace
}  // namespace aiflame::svg
