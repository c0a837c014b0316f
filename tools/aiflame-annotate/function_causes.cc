// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/function_causes.h"

#include <algorithm>
#include <map>

#include "libcommon/code/stall_causes.h"

namespace aiflame::annotate {
namespace {

// Samples in which it was issued, and those in which it stalled, by what it waited for. A stall in
// which another thread was served costs nothing: where the recording tells them, those are left.
InstructionStalls stalls_of(const AnnotatedInstruction& it, bool tells_exposed, uint32_t index) {
  InstructionStalls out;
  out.index = index;
  std::map<Operations, uint64_t> stalls;
  uint64_t without_reason = it.samples;
  for (const auto& [name, count] : it.reasons) {
    without_reason -= std::min(count, without_reason);
    if (is_work(name)) out.issued += count;
  }
  for (const auto& [name, count] : costly_stalls(it, tells_exposed))
    stalls[awaited_operations(name)] += count;
  for (const auto& [awaited, count] : stalls) out.stalls.push_back({awaited, false, count});
  if (without_reason > 0) out.stalls.push_back({0, true, without_reason});
  return out;
}

}  // namespace

uint64_t add_stall_causes(CodeFlow flow, uint64_t base, uint64_t max_steps, Annotation& out) {
  if (flow.empty())
    for (const AnnotatedInstruction& each : out.code)
      if (flow.empty() || base + each.offset > flow.offsets.back())
        flow.offsets.push_back(base + each.offset);
  const auto offset_of = [&](uint32_t index) { return flow.offsets[index] - base; };
  std::vector<InstructionStalls> sampled;
  std::vector<AnnotatedInstruction*> rows;
  for (AnnotatedInstruction& each : out.code) {
    const uint32_t index = flow.index_of(base + each.offset);
    if (each.samples == 0 || index == flow.offsets.size()) continue;
    sampled.push_back(stalls_of(each, out.tells_exposed, index));
    rows.push_back(&each);
  }
  const auto awaited = [&](uint32_t index) {
    std::vector<uint32_t> list;
    if (const AnnotatedInstruction* const its = out.at(offset_of(index)))
      for (const uint64_t at : its->producers) list.push_back(flow.index_of(base + at));
    return list;
  };
  const StallCauses causes = find_stall_causes(flow, sampled, awaited, max_steps);
  for (const CausesOfStalls& each : causes.instructions) {
    const auto row = std::lower_bound(
        sampled.begin(), sampled.end(), each.index,
        [](const InstructionStalls& it, uint32_t index) { return it.index < index; });
    AnnotatedInstruction& to = *rows[static_cast<size_t>(row - sampled.begin())];
    to.stalls = each.stalls;
    for (const StallCause& one : each.causes)
      to.causes.push_back({offset_of(one.index), one.share, one.estimated});
    for (const uint32_t one : each.chain) to.chain.push_back(offset_of(one));
    to.chain_end = each.end;
  }
  for (const StallRoot& each : causes.roots) {
    Root& root = out.roots.emplace_back(Root{offset_of(each.index), each.samples, {}});
    for (const StallRoot::Victim& victim : each.victims)
      root.victims.emplace_back(offset_of(victim.index), victim.samples);
  }
  out.coverage = causes.coverage;
  return causes.steps;
}

}  // namespace aiflame::annotate
