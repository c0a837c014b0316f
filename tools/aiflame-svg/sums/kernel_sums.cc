// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/sums/kernel_sums.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <unordered_map>

#include "libcommon/device/stack_layers.h"
#include "libcommon/folded/folded.h"
#include "tools/aiflame-svg/sums/reason_sums.h"

namespace aiflame::svg {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

enum class Part : uint8_t { other, launcher, kernel, reason };

NameCounts sorted(NameCounts counts) {
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return counts;
}

// What each name of the tree is.
std::vector<Part> parts_of(const FlameTree& tree, const ReasonNames& reasons) {
  std::vector<Part> out(tree.names().size(), Part::other);
  for (uint32_t i = 0; i < out.size(); ++i) {
    const std::string_view name = tree.names()[i];
    if (name.empty()) continue;
    const FrameRole role = role_of(name);
    if (role == FrameRole::device_function)
      out[i] = Part::kernel;
    else if (reasons.find(name) != reasons.end())
      out[i] = Part::reason;
    else if (role == FrameRole::framework_operator || role == FrameRole::model_module ||
             (role == FrameRole::function && !passes_launches_on(name)))
      out[i] = Part::launcher;
  }
  return out;
}

}  // namespace

bool passes_launches_on(std::string_view frame) {
  if (frame.starts_with('[') || frame.ends_with("_[k]")) return true;
  constexpr std::array kLibraries = {"cuda", "cublas",   "cudnn", "hip",      "rocblas", "miopen",
                                     "nccl", "cusparse", "cufft", "cusolver", "rccl"};
  if (std::any_of(kLibraries.begin(), kLibraries.end(),
                  [&](const char* library) { return frame.starts_with(library); }))
    return true;
  // cuLaunchKernel, clEnqueueNDRangeKernel, zeCommandListAppendLaunchKernel
  constexpr std::array kInterfaces = {"cu", "cl", "ze"};
  return std::any_of(kInterfaces.begin(), kInterfaces.end(), [&](const char* interface) {
    return frame.starts_with(interface) && frame.size() > 2 &&
           std::isupper(static_cast<unsigned char>(frame[2])) != 0;
  });
}

std::vector<KernelSum> sum_kernels(const FlameTree& tree, const ReasonNames& reasons) {
  const std::vector<Part> parts = parts_of(tree, reasons);
  std::vector<uint32_t> reason_names, number_of(parts.size(), kNone);  // of reasons
  for (uint32_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != Part::reason) continue;
    number_of[i] = static_cast<uint32_t>(reason_names.size());
    reason_names.push_back(i);
  }
  struct Counts {
    uint64_t total = 0;
    std::vector<uint64_t> reasons;  // by the number of a reason
    std::unordered_map<uint32_t, uint64_t> launchers;
  };
  struct Open {
    uint32_t end;  // of the node's descendants
    uint32_t launcher, reason;
    Counts* kernel;  // that the node is a part of; null: none
  };
  std::map<uint32_t, Counts> kernels;
  std::vector<Open> open = {{tree.size(), kNone, kNone, nullptr}};
  for (uint32_t node = 1; node < tree.size(); ++node) {
    while (open.back().end <= node) open.pop_back();
    Open here = open.back();
    here.end = tree.end(node);
    const uint32_t name = tree.name_id(node);
    const Part part = parts[name];
    if (part == Part::launcher) here.launcher = name;
    if (part == Part::reason) here.reason = number_of[name];
    if (part == Part::kernel && here.kernel == nullptr) {
      here.kernel = &kernels[name];
      here.kernel->reasons.resize(reason_names.size());
      here.kernel->total += tree.total(node);
      if (here.launcher != kNone) here.kernel->launchers[here.launcher] += tree.total(node);
    }
    if (here.kernel != nullptr && here.reason != kNone)
      here.kernel->reasons[here.reason] += own_count(tree, node);
    if (here.end > node + 1) open.push_back(here);
  }
  std::vector<KernelSum> out;
  for (const auto& [name, sum] : kernels) {
    NameCounts counts;
    for (size_t i = 0; i < reason_names.size(); ++i)
      if (sum.reasons[i] > 0) counts.emplace_back(reason_names[i], sum.reasons[i]);
    out.push_back({name, sum.total, sorted(std::move(counts)),
                   sorted({sum.launchers.begin(), sum.launchers.end()})});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const KernelSum& a, const KernelSum& b) { return a.total > b.total; });
  return out;
}

}  // namespace aiflame::svg
