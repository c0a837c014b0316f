// SPDX-License-Identifier: MIT
#include "libcommon/objects/amd/waitcnt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace aiflame {
namespace {

using Indices = std::vector<uint32_t>;

// "global_load_dword v4, v[2:3], off" as an instruction of 4 bytes.
std::vector<ListedInstruction> code_of(const std::vector<std::string>& lines) {
  std::vector<ListedInstruction> out;
  for (const std::string& line : lines) {
    const size_t blank = std::min(line.find(' '), line.size());
    out.push_back(
        {out.size() * 4, 4, line.substr(0, blank), line.substr(std::min(line.size(), blank + 1))});
  }
  return out;
}

// "load:0 lds:2 counts store"
std::string text_of(const AmdUse& use) {
  constexpr const char* kNames[] = {"load", "store", "lds", "scalar", "exports", "sample", "bvh"};
  std::string out;
  for (size_t i = 0; i < kAmdCounters; ++i) {
    if (use.leaves[i] != CounterUse::kAny)
      out += std::string(kNames[i]) + ":" + std::to_string(use.leaves[i]) + " ";
    if ((use.counts >> i & 1) != 0) out += std::string("counts ") + kNames[i] + " ";
  }
  if (!use.in_order) out += "in any order ";
  if (!out.empty()) out.pop_back();
  return out;
}

TEST(AmdGeneration, OfProcessors) {
  EXPECT_EQ(amd_generation("gfx90a"), 9u);
  EXPECT_EQ(amd_generation("gfx942"), 9u);
  EXPECT_EQ(amd_generation("gfx1030"), 10u);
  EXPECT_EQ(amd_generation("gfx1100"), 11u);
  EXPECT_EQ(amd_generation("gfx1201"), 12u);
  EXPECT_EQ(amd_generation("gfx12-generic"), 12u);
  EXPECT_EQ(amd_generation("gfx9-4-generic"), 9u);
  EXPECT_EQ(amd_generation("gfx"), 0u);
  EXPECT_EQ(amd_generation("sm_90"), 0u);
}

TEST(AmdUse, WhatCountsWhere) {
  constexpr struct {
    unsigned generation;
    const char *name, *operands, *expected;
  } kUses[] = {
      {9, "global_load_dword", "v4, v[2:3], off", "counts load"},
      {9, "global_store_dword", "v[2:3], v4, off", "counts load"},
      {10, "global_store_dword", "v[2:3], v4, off", "counts store"},
      {10, "global_atomic_add", "v[2:3], v4, off", "counts store"},
      {10, "global_atomic_add", "v1, v[2:3], v4, off glc", "counts load"},
      {12, "global_atomic_add_u32", "v1, v0, v2, s[0:1] th:TH_ATOMIC_RETURN", "counts load"},
      {9, "buffer_load_dword", "v0, v1, s[0:3], 0 offen", "counts load"},
      {11, "scratch_store_b32", "off, v0, s32", "counts store"},
      {9, "flat_load_dword", "v0, v[0:1]", "counts load counts lds in any order"},
      {11, "image_sample", "v[0:3], v[4:5], s[0:7], s[8:11]", "counts load"},
      {12, "image_sample", "v[0:3], v[4:5], s[0:7], s[8:11]", "counts sample"},
      {12, "image_bvh_intersect_ray", "v[0:3], ...", "counts bvh"},
      {9, "ds_read_b32", "v0, v1", "counts lds"},
      {12, "ds_load_b32", "v0, v1", "counts lds"},
      {9, "s_load_dwordx2", "s[0:1], s[4:5], 0x0", "counts lds in any order"},
      {12, "s_load_b64", "s[0:1], s[4:5], 0x0", "counts scalar in any order"},
      {9, "s_memtime", "s[0:1]", "counts lds in any order"},
      {11, "lds_param_load", "v0, attr0.x", "counts exports"},
      {9, "exp", "mrt0 v0, v0, v0, v0 done vm", "counts exports in any order"},
      {9, "buffer_wbinvl1", "", ""},
      {10, "buffer_gl0_inv", "", ""},
      {9, "v_add_f32_e32", "v0, v1, v2", ""},
      {9, "s_barrier", "", ""},
  };
  for (const auto& each : kUses)
    EXPECT_EQ(text_of(amd_use(each.name, each.operands, each.generation)), each.expected)
        << each.name << " of gfx" << each.generation;
}

TEST(AmdUse, WhatWaits) {
  constexpr struct {
    const char *name, *operands, *expected;
  } kWaits[] = {
      {"s_waitcnt", "vmcnt(0) lgkmcnt(0)", "load:0 lds:0"},
      {"s_waitcnt", "vmcnt(3) & lgkmcnt(1)", "load:3 lds:1"},
      {"s_waitcnt", "expcnt(2)", "exports:2"},
      {"s_waitcnt", "0", "load:0 store:0 lds:0 scalar:0 exports:0 sample:0 bvh:0"},
      {"s_waitcnt_vscnt", "null, 0x0", "store:0"},
      {"s_waitcnt_lgkmcnt", "null, 0x3", "lds:3"},
      {"s_wait_loadcnt", "0x2", "load:2"},
      {"s_wait_storecnt", "0x0", "store:0"},
      {"s_wait_kmcnt", "0x0", "scalar:0"},
      {"s_wait_samplecnt", "0x0", "sample:0"},
      {"s_wait_loadcnt_dscnt", "0x102", "load:1 lds:2"},
      {"s_wait_storecnt_dscnt", "0x0", "store:0 lds:0"},
      {"s_wait_idle", "", "load:0 store:0 lds:0 scalar:0 exports:0 sample:0 bvh:0"},
      {"s_waitcnt_depctr", "0xffe3", ""},
      {"s_wait_alu", "0xfffe", ""},
      {"s_waitcnt", "vmcnt(", ""},
      {"s_waitcnt", "nocnt(0) vmcnt(x)", ""},
      {"s_wait_loadcnt", "", ""},
  };
  for (const auto& each : kWaits)
    EXPECT_EQ(text_of(amd_use(each.name, each.operands, 12)), each.expected) << each.operands;
}

TEST(AmdJump, FromTheOperand) {
  EXPECT_EQ(amd_jump("s_cbranch_scc1", "65533", 0x20), 0x14u);
  EXPECT_EQ(amd_jump("s_branch", "2", 0x20), 0x28u);
  EXPECT_EQ(amd_jump("s_branch", "0xffff", 0), UINT64_MAX - 3);  // before the function
  EXPECT_EQ(amd_jump("s_branch", "label", 0x20), std::nullopt);
  EXPECT_EQ(amd_jump("s_add_u32", "2", 0x20), std::nullopt);
}

TEST(AmdCode, TheOldestAreAwaited) {
  const AmdCode code(code_of({"global_load_dword v1",             // 0
                              "s_load_dword s0",                  // 1
                              "global_load_dword v2",             // 2
                              "ds_read_b32 v3",                   // 3
                              "s_waitcnt vmcnt(1)",               // 4
                              "s_waitcnt lgkmcnt(0)",             // 5
                              "ds_read_b32 v4",                   // 6
                              "ds_read_b32 v5",                   // 7
                              "s_waitcnt lgkmcnt(1)",             // 8
                              "s_load_dword s1",                  // 9
                              "s_waitcnt lgkmcnt(1)",             // 10: either may have ended
                              "s_waitcnt vmcnt(0) lgkmcnt(0)"}),  // 11
                     9);
  EXPECT_EQ(code.producers(4), Indices{0});
  EXPECT_EQ(code.producers(5), (Indices{1, 3}));
  EXPECT_EQ(code.producers(8), Indices{6});
  EXPECT_EQ(code.producers(10), Indices{});
  EXPECT_EQ(code.producers(11), (Indices{2, 9}));
  EXPECT_EQ(code.producers(0), Indices{});
  EXPECT_EQ(code.producers(99), Indices{});
}

TEST(AmdCode, StoresHaveACounterOfTheirOwnSinceGfx10) {
  const auto code = code_of({"global_load_dword v1", "global_store_dword v[2:3]",
                             "s_waitcnt vmcnt(0)", "s_waitcnt_vscnt null, 0x0"});
  EXPECT_EQ(AmdCode(code, 9).producers(2), (Indices{0, 1}));
  EXPECT_EQ(AmdCode(code, 10).producers(2), Indices{0});
  EXPECT_EQ(AmdCode(code, 10).producers(3), Indices{1});
}

TEST(AmdCode, BranchesAndCalls) {
  const AmdCode code(code_of({"global_load_dword v1",           // 0
                              "s_waitcnt vmcnt(0)",             // 1, the loop
                              "global_load_dword v2",           // 2
                              "s_cbranch_scc1 0x4",             // 3, to 1
                              "s_branch 0x18",                  // 4, to 6
                              "s_endpgm",                       // 5
                              "s_waitcnt vmcnt(0)",             // 6
                              "global_load_dword v3",           // 7
                              "s_swappc_b64 s[30:31], s[4:5]",  // 8
                              "s_waitcnt vmcnt(0)"}),           // 9
                     9);
  EXPECT_EQ(code.producers(1), (Indices{0, 2}));
  EXPECT_EQ(code.producers(6), Indices{2});
  EXPECT_EQ(code.producers(9), Indices{});
}

}  // namespace
}  // namespace aiflame
