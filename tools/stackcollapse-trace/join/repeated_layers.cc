// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/repeated_layers.h"

#include <algorithm>

namespace aiflame::trace {
namespace {

// Fewer kernels that repeat are hardly a layer, and fewer repetitions hardly a model.
constexpr size_t kLeastPeriod = 4, kLeastCount = 4;

// The longest run in which each name equals the one `period` places later.
RepeatedLayers longest_run(const std::vector<uint32_t>& names, size_t period) {
  RepeatedLayers out;
  size_t begin = 0;
  for (size_t i = 0; i + period <= names.size(); ++i) {
    if (i + period < names.size() && names[i] == names[i + period]) continue;
    // names[begin..i) equal those a period later, so the run ends at i + period
    const size_t count = (i + period - begin) / period;
    if (count > out.count) out = {begin, period, count};
    begin = i + 1;
  }
  return out;
}

// Whether a loop launches the same kernel again and again: such a sequence has no layers.
bool is_of_one_name(const std::vector<uint32_t>& names, const RepeatedLayers& run) {
  const auto begin = names.begin() + static_cast<ptrdiff_t>(run.begin);
  return std::all_of(begin, begin + static_cast<ptrdiff_t>(run.period),
                     [&](uint32_t name) { return name == *begin; });
}

}  // namespace

RepeatedLayers find_repeated_layers(const std::vector<uint32_t>& names) {
  if (names.size() > kMostKernels) return {};
  for (size_t period = kLeastPeriod; period * kLeastCount <= names.size(); ++period) {
    const RepeatedLayers run = longest_run(names, period);
    if (run.count >= kLeastCount && 2 * run.count * period > names.size())
      return is_of_one_name(names, run) ? RepeatedLayers() : run;
  }
  return {};
}

}  // namespace aiflame::trace
