// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/hot_loop.h"

#include <algorithm>

#include "libcommon/code/loops.h"

namespace aiflame::annotate {

std::optional<HotLoop> find_hot_loop(const CodeFlow& flow, uint64_t base,
                                     const std::vector<AnnotatedInstruction>& code) {
  const auto hottest = std::max_element(code.begin(), code.end(), [](const auto& a, const auto& b) {
    return a.samples < b.samples;  // of equal ones the first
  });
  if (hottest == code.end() || hottest->samples == 0 || flow.empty()) return std::nullopt;
  const uint32_t at = flow.index_of(base + hottest->offset);
  if (at == flow.offsets.size()) return std::nullopt;
  const Loops loops = find_loops(flow.ways);
  if (at >= loops.innermost.size() || loops.innermost[at] == Loop::kNone) return std::nullopt;
  const uint32_t wanted = loops.innermost[at];
  HotLoop out;
  bool is_first = true;
  for (const AnnotatedInstruction& each : code) {
    const uint32_t index = flow.index_of(base + each.offset);
    if (index == flow.offsets.size()) continue;
    uint32_t loop = loops.innermost[index];
    while (loop != Loop::kNone && loop != wanted) loop = loops.all[loop].parent;
    if (loop != wanted) continue;
    if (is_first) out.first = each.offset;
    is_first = false;
    out.last = each.offset;
    out.samples += each.samples;
  }
  return out;
}

}  // namespace aiflame::annotate
