// SPDX-License-Identifier: MIT
#include "libcommon/code/stall_reasons.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace aiflame {
namespace {

TEST(StallReasons, EachHasItsOwnNameAndSentences) {
  std::set<std::string> names;
  for (const StallReason& one : stall_reasons()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(find_stall_reason(one.name), &one);
    EXPECT_TRUE(std::string(one.meaning).ends_with(".")) << one.name;
    if (*one.advice != '\0') {
      EXPECT_TRUE(std::string(one.advice).ends_with(".")) << one.name;
    }
  }
}

TEST(StallReasons, NamesOfCupti) {
  const StallReason* wait = find_stall_reason("wait");
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(find_stall_reason("smsp__pcsamp_warps_issue_stalled_wait"), wait);
  EXPECT_EQ(find_stall_reason("smsp__pcsamp_warps_issue_stalled_wait_not_issued"), wait);
  EXPECT_EQ(find_stall_reason("smsp__pcsamp_warp_stall_wait"), wait);
}

TEST(StallReasons, NamesOfAmd) {
  const StallReason* wait = find_stall_reason("waitcnt");
  ASSERT_NE(wait, nullptr);
  EXPECT_STREQ(wait->vendor, "AMD");
  // as rocprofv3 prints it
  const std::string prefix = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_";
  EXPECT_EQ(find_stall_reason(prefix + "WAITCNT"), wait);
  for (const char* name :
       {"NO_INSTRUCTION_AVAILABLE", "ALU_DEPENDENCY", "WAITCNT", "INTERNAL_INSTRUCTION",
        "BARRIER_WAIT", "ARBITER_NOT_WIN", "ARBITER_WIN_EX_STALL", "OTHER_WAIT", "SLEEP_WAIT"})
    EXPECT_NE(find_stall_reason(prefix + name), nullptr) << name;
  EXPECT_EQ(find_stall_reason("WAITCNT"), wait);
  EXPECT_EQ(find_stall_reason(prefix + "S_NOP"), nullptr);
  // mnemonics of NVIDIA's, not its reasons
  EXPECT_EQ(find_stall_reason("MEMBAR"), nullptr);
}

// The metrics of HPCToolkit's databases of samples on Intel, NVIDIA and AMD.
TEST(StallReasons, EachOfHpctoolkitsHasASentence) {
  for (const char* name :
       {"isu_bar",  "isu_brnt", "isu_brt",  "isu_flat", "isu_jmp",  "isu_lds",
        "isu_ldsd", "isu_matr", "isu_mesg", "isu_othr", "isu_sclr", "isu_tex",
        "isu_unk",  "isu_vec",  "isu_vec2", "isu_xprt", "stl_cmem", "stl_gmem",
        "stl_hid",  "stl_idep", "stl_ifet", "stl_inv",  "stl_mem",  "stl_mthr",
        "stl_nsel", "stl_othr", "stl_pipe", "stl_slp",  "stl_sync", "stl_tmem"}) {
    const StallReason* found = find_stall_reason(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_STREQ(found->vendor, "HPCToolkit");
    const bool works = std::string(found->meaning).find("not a stall") != std::string::npos;
    EXPECT_EQ(works, std::string(name).starts_with("isu_")) << name;
  }
}

// What is work is in one category, whoever names it.
TEST(StallReasons, IssuingIsTheCategoryOfWork) {
  for (const StallReason& one : stall_reasons()) {
    const bool works = std::string(one.meaning).find("not a stall") != std::string::npos;
    EXPECT_EQ(one.category == StallReason::Category::issuing, works) << one.name;
  }
}

TEST(StallReasons, CategoriesAreTheSameForAllVendors) {
  using Category = StallReason::Category;
  for (const auto& [category, names] : std::map<Category, std::vector<const char*>>{
           {Category::memory, {"sbid", "long_scoreboard", "waitcnt", "stl_gmem"}},
           {Category::dependency, {"dist_acc", "wait", "alu_dependency", "stl_idep"}},
           {Category::sync, {"sync", "barrier", "barrier_wait", "stl_sync"}},
           {Category::fetch,
            {"inst_fetch", "insfetch", "no_instructions", "no_instruction_available", "stl_ifet"}},
           {Category::pipe,
            {"pipestall", "pipe", "math_pipe_throttle", "arbiter_win_ex_stall", "stl_pipe"}},
           {Category::other, {"other", "not_selected", "other_wait", "stl_hid"}}})
    for (const char* name : names) EXPECT_EQ(find_stall_reason(name)->category, category) << name;
  EXPECT_STREQ(category_name(Category::memory), "memory");
  EXPECT_STREQ(category_name(Category::pipe), "pipe busy");
  EXPECT_STREQ(category_name(Category::other), "other");
}

TEST(StallReasons, OthersAreNotKnown) {
  EXPECT_EQ(find_stall_reason(""), nullptr);
  EXPECT_EQ(find_stall_reason("send.ugm"), nullptr);
  EXPECT_EQ(find_stall_reason("wait_not_issued"), nullptr);
}

// The reasons in libnvperf_host of CUDA 13.0, in both families of names.
TEST(StallReasons, EachOfNvidiasHasASentence) {
  for (const char* each :
       {"barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle",
        "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc",
        "no_instructions", "not_selected", "selected", "short_scoreboard", "sleeping",
        "tex_throttle", "wait", "warpgroup_arrive"}) {
    const std::string name = each;
    const StallReason* found = find_stall_reason(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_STREQ(found->vendor, "NVIDIA");
    EXPECT_EQ(find_stall_reason("smsp__pcsamp_warp_stall_" + name), found);
    EXPECT_EQ(find_stall_reason("smsp__pcsamp_warps_issue_stalled_" + name + "_not_issued"), found);
  }
  // issuing is no stall
  const std::string selected = find_stall_reason("selected")->meaning;
  EXPECT_NE(selected.find("not a stall"), std::string::npos);
}

TEST(StallReasons, OneOfHpcToolkitStandsForAllHiddenStalls) {
  size_t found = 0;
  for (const StallReason& each : stall_reasons()) {
    if (!stands_for_hidden(each.name)) continue;
    ++found;
    EXPECT_TRUE(is_always_hidden(each));
  }
  EXPECT_EQ(found, 1u);
}

}  // namespace
}  // namespace aiflame
