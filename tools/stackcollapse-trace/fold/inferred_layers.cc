// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/inferred_layers.h"

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

InferredLayers::InferredLayers(const Trace& trace, const GraphWorks& graphs, bool merge_modules,
                               ImportedStacks& stacks) {
  std::map<std::vector<uint32_t>, RepeatedLayers> known;  // steps are alike
  for (const auto& [step, works] :
       regrouped(trace, graphs, [&](uint32_t call) { return step_of(trace, call, stacks); })) {
    std::vector<size_t> kernels;
    std::vector<uint32_t> names;
    for (const size_t work : works) {
      if (!trace.work[work].kernel) continue;
      kernels.push_back(work);
      names.push_back(trace.work[work].frame);
    }
    const auto [at, is_new] = known.try_emplace(std::move(names));
    if (is_new) at->second = find_repeated_layers(at->first);
    const RepeatedLayers& layers = at->second;
    if (layers.count == 0) continue;
    if (frames_.empty()) frames_.assign(trace.work.size(), kNoNumber);
    for (size_t i = 0; i < kernels.size(); ++i)
      if (const size_t layer = layers.layer_of(i); layer != layers.count)
        frames_[kernels[i]] = stacks.frame(layer_text(layer, layers.count, merge_modules));
  }
}

}  // namespace aiflame::trace
