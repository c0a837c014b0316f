// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/sums/kernel_sums.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

// "k_[G] 9: sbid_[g] 7; by main 9", the kernels in their order.
std::vector<std::string> kernels(const std::vector<std::pair<std::string, uint64_t>>& stacks) {
  StackSorter sorter;
  for (const auto& [stack, count] : stacks) sorter.add(stack, count);
  const FlameTree tree = merged_tree(std::move(sorter));
  std::vector<std::string> out;
  for (const KernelSum& sum : sum_kernels(tree, find_reason_names(tree))) {
    std::string text =
        std::string(tree.names()[sum.kernel]) + " " + std::to_string(sum.total) + ":";
    for (const auto& [name, count] : sum.reasons)
      text += " " + std::string(tree.names()[name]) + " " + std::to_string(count);
    text += "; by";
    for (const auto& [name, count] : sum.launchers)
      text += " " + std::string(tree.names()[name]) + " " + std::to_string(count);
    out.push_back(text);
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(KernelSums, ReasonsAndLaunchersOfEachKernel) {
  EXPECT_EQ(
      kernels({{"app;main;run;cuLaunchKernel;-;k.cu_[G];gemm_[G];dot_[G];FFMA_[g];selected_[g];"
                "0x10_[g]",
                5},
               {"app;main;run;cuLaunchKernel;-;k.cu_[G];gemm_[G];LDG_[g];long_scoreboard_[g]", 7},
               {"app;main;other;cuLaunchKernel;-;k.cu_[G];gemm_[G];LDG_[g]", 2},
               {"app;main;run;cublasSgemm_v2;cuLaunchKernel;-;copy_[G]", 3},
               {"app;main;write", 90}}),
      (Texts{"gemm_[G] 14: long_scoreboard_[g] 7 selected_[g] 5; by run 12 other 2",
             "copy_[G] 3:; by run 3"}));
}

TEST(KernelSums, TheInnermostOperatorOrModuleLaunches) {
  EXPECT_EQ(
      kernels({{"py::main:a.py;Linear_0_[m];aten::mm_[o];[cuda graph];hipLaunchKernel;-;mm_[G]", 4},
               {"[unknown launch];-;mm_[G]", 1}}),
      (Texts{"mm_[G] 5:; by aten::mm_[o] 4"}));
}

TEST(KernelSums, WhatPassesLaunchesOn) {
  for (const char* name : {"cuLaunchKernel", "cudaLaunchKernelExC", "cublasLtSSSMatmul",
                           "hipGraphLaunch", "clEnqueueNDRangeKernel",
                           "zeCommandListAppendLaunchKernel", "[cuda graph]", "do_syscall_64_[k]"})
    EXPECT_TRUE(passes_launches_on(name)) << name;
  for (const char* name : {"main", "cuddle", "clone3", "zero_grad", "py::forward:a.py", "cu"})
    EXPECT_FALSE(passes_launches_on(name)) << name;
}

TEST(KernelSums, NoneOfAProgramOfTheCpu) {
  EXPECT_TRUE(kernels({{"a;b", 5}}).empty());
}

}  // namespace
}  // namespace aiflame::svg
