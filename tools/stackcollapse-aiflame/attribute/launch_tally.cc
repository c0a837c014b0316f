// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/launch_tally.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libcommon/base/sample_sum.h"

namespace aiflame::collapse {

void LaunchTally::add(std::string_view kernel, const std::optional<CodePlace>& start,
                      const LaunchSize& size, uint64_t launches) {
  Kernel key{std::string(kernel), {}, 0};
  if (start) {
    key.path = start->path;
    key.offset = start->file_offset;
  }
  add_samples(launches_[std::move(key)][size], launches);
}

LaunchFacts LaunchTally::facts(DeviceFrames& frames) const {
  LaunchFacts out;
  for (const auto& each : launches_) {
    const Kernel& kernel = each.first;  // clang 14's lambdas capture no structured binding
    const std::map<LaunchSize, uint64_t>& sizes = each.second;
    const bool is_known =
        std::any_of(sizes.begin(), sizes.end(), [](const auto& of) { return of.first.is_known(); });
    if (!is_known) continue;
    std::vector<std::pair<LaunchSize, uint64_t>> most(sizes.begin(), sizes.end());
    std::stable_sort(most.begin(), most.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::optional<CodePlace> start;
    if (!kernel.path.empty()) start = CodePlace{kernel.path, kernel.offset};
    const auto add = [&](const LaunchSize& size, uint64_t launches, uint64_t other_sizes) {
      LaunchFact fact = frames.launch_fact(kernel.symbol, start, size);
      fact.launches = launches;
      fact.other_sizes = other_sizes;
      out.add(std::move(fact));
    };
    const size_t shown = std::min(most.size(), kMostSizes);
    for (size_t i = 0; i < shown; ++i) add(most[i].first, most[i].second, 0);
    uint64_t others = 0;
    for (size_t i = shown; i < most.size(); ++i) add_samples(others, most[i].second);
    if (shown < most.size()) add({}, others, most.size() - shown);
  }
  return out;
}

}  // namespace aiflame::collapse
