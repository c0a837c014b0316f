// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/graph_alignment.h"

#include <algorithm>
#include <unordered_map>

namespace aiflame::trace {
namespace {

// A capture of which less agrees is taken for another graph's.
constexpr double kLeastAgreement = 0.5;

using Names = std::vector<uint32_t>;

GraphAlignment in_order(size_t count, GraphAlignment::Quality quality) {
  GraphAlignment out;
  out.quality = quality;
  out.matched = count;
  out.launches.resize(count);
  for (size_t i = 0; i < count; ++i) out.launches[i] = static_cast<uint32_t>(i);
  return out;
}

std::unordered_map<uint32_t, std::vector<uint32_t>> places_by_name(const Names& names) {
  std::unordered_map<uint32_t, std::vector<uint32_t>> out;
  for (size_t i = 0; i < names.size(); ++i) out[names[i]].push_back(static_cast<uint32_t>(i));
  return out;
}

// Of a kernel that has a launch and the next one that has: what lies between agrees by position, or
// is left out. `kernel` and `launch` are where the stretches begin, their ends are exclusive.
void align_between(const Names& kernels, const Names& launches, size_t kernel, size_t kernel_end,
                   size_t launch, size_t launch_end, GraphAlignment& out) {
  if (launch_end < launch || kernel_end - kernel != launch_end - launch) return;
  for (size_t i = 0; i < kernel_end - kernel; ++i)
    if (kernels[kernel + i] != launches[launch + i]) return;
  for (size_t i = 0; i < kernel_end - kernel; ++i) {
    uint32_t& one = out.launches[kernel + i];
    if (one != kNoLaunch) continue;
    one = static_cast<uint32_t>(launch + i);
    ++out.matched;
  }
}

}  // namespace

GraphAlignment align_graph(const Names& kernels, const Names& launches) {
  using Quality = GraphAlignment::Quality;
  if (kernels.empty()) return {};
  const bool is_alike = std::equal(
      kernels.begin(), kernels.end(), launches.begin(), launches.end(),
      [](uint32_t kernel, uint32_t launch) { return launch == kNoName || kernel == launch; });
  const bool is_named = std::find(launches.begin(), launches.end(), kNoName) == launches.end();
  if (is_alike)
    return in_order(kernels.size(), is_named ? Quality::by_position : Quality::by_count);
  if (!is_named) return {};

  GraphAlignment out;
  out.quality = Quality::by_name;
  out.launches.assign(kernels.size(), kNoLaunch);
  const auto there = places_by_name(launches);
  for (const auto& [name, here] : places_by_name(kernels)) {
    const auto known = there.find(name);
    if (known == there.end() || known->second.size() != here.size()) continue;
    for (size_t i = 0; i < here.size(); ++i) out.launches[here[i]] = known->second[i];
    out.matched += here.size();
  }
  size_t kernel = 0, launch = 0;
  const std::vector<uint32_t> anchors = out.launches;
  for (size_t i = 0; i <= kernels.size(); ++i) {
    if (i < kernels.size() && anchors[i] == kNoLaunch) continue;
    const size_t at = i < kernels.size() ? anchors[i] : launches.size();
    align_between(kernels, launches, kernel, i, launch, at, out);
    kernel = i + 1;
    launch = at + 1;
  }
  if (static_cast<double>(out.matched) < kLeastAgreement * static_cast<double>(kernels.size()))
    return {};
  return out;
}

}  // namespace aiflame::trace
