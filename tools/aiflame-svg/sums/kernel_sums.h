// SPDX-License-Identifier: MIT
// The samples of a tree by kernel: why they stall, and who launched them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/aiflame-svg/colour/reason_names.h"

namespace aiflame::svg {

// Names of the tree, with their counts, the largest first.
using NameCounts = std::vector<std::pair<uint32_t, uint64_t>>;

struct KernelSum {
  uint32_t kernel = 0;  // its name in the tree
  uint64_t total = 0;
  NameCounts reasons;
  // The innermost operator, module, Python function or function of the program below it that is no
  // part of a library which launches.
  NameCounts launchers;
};

// The largest first. A kernel is the outermost function of a device. Nothing of a tree that is
// merged from the leaves: there, kernels are not below what they run.
std::vector<KernelSum> sum_kernels(const FlameTree& tree, const ReasonNames& reasons);

// Whether a frame of the CPU only passes launches on: `cuLaunchKernel`, `cublasSgemm_v2`, `[cuda
// graph]`.
bool passes_launches_on(std::string_view frame);

}  // namespace aiflame::svg
