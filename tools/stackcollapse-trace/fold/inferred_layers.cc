// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/inferred_layers.h"

#include <algorithm>
#include <map>
#include <string>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-trace/join/repeated_layers.h"
#include "tools/stackcollapse-trace/keep/step_name.h"

namespace aiflame::trace {
namespace {

// The step that launches a graph, or else the launch itself.
uint32_t step_of(const Trace& trace, uint32_t launch, const ImportedStacks& stacks) {
  for (uint32_t at = trace.slices[launch].parent; at != kNoNumber; at = trace.slices[at].parent)
    if (trace.slices[at].kind == Kind::range && is_step_frame(stacks.text(trace.slices[at].frame)))
      return at;
  return launch;
}

// Numbers of one width, so that layers stand in their order.
std::string layer_text(size_t layer, size_t count, bool merged) {
  const int width = static_cast<int>(std::to_string(count).size());
  return merged ? format("[layer of %zu, inferred]", count)
                : format("[layer %0*zu of %zu, inferred]", width, layer + 1, count);
}

}  // namespace

InferredLayers::InferredLayers(const Trace& trace, const Launches& launches, bool merge_modules,
                               ImportedStacks& stacks) {
  std::map<uint32_t, std::vector<size_t>> works_by_step;
  std::map<uint32_t, uint32_t> steps;  // by launch
  for (size_t i = 0; i < trace.work.size(); ++i) {
    if (!trace.work[i].kernel) continue;
    const Launch launch = launches.find(trace.work[i]);
    if (launch.slice == kNoNumber || !trace.slices[launch.slice].graph) continue;
    const auto [step, is_new] = steps.try_emplace(launch.slice, 0);
    if (is_new) step->second = step_of(trace, launch.slice, stacks);
    works_by_step[step->second].push_back(i);
  }
  std::map<std::vector<uint32_t>, RepeatedLayers> known;  // steps are alike
  for (auto& [step, works] : works_by_step) {
    std::stable_sort(works.begin(), works.end(),
                     [&](size_t a, size_t b) { return trace.work[a].start < trace.work[b].start; });
    std::vector<uint32_t> names;
    names.reserve(works.size());
    for (const size_t work : works) names.push_back(trace.work[work].frame);
    const auto [at, is_new] = known.try_emplace(std::move(names));
    if (is_new) at->second = find_repeated_layers(at->first);
    const RepeatedLayers& layers = at->second;
    if (layers.count == 0) continue;
    if (frames_.empty()) frames_.assign(trace.work.size(), kNoNumber);
    for (size_t i = 0; i < works.size(); ++i)
      if (const size_t layer = layers.layer_of(i); layer != layers.count)
        frames_[works[i]] = stacks.frame(layer_text(layer, layers.count, merge_modules));
  }
}

}  // namespace aiflame::trace
