// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/scoreboard.h"

#include <algorithm>
#include <unordered_map>

namespace aiflame {
namespace {

// Instructions and jumps that are visited for one answer. Kernels have a few thousand instructions,
// and a producer is seldom more than a few hundred away.
constexpr size_t kMaxSteps = size_t{1} << 16;

// The index of the instruction that begins at an offset, or code.size().
uint32_t index_of(const std::vector<IgaInstruction>& code, uint32_t offset) {
  const auto found =
      std::lower_bound(code.begin(), code.end(), offset,
                       [](const IgaInstruction& each, uint32_t at) { return each.offset < at; });
  return static_cast<uint32_t>(found == code.end() || found->offset != offset
                                   ? code.size()
                                   : static_cast<size_t>(found - code.begin()));
}

Flow flow_of(const std::vector<IgaInstruction>& code) {
  Flow out;
  for (uint32_t i = 0; i < code.size(); ++i) {
    out.falls_through.push_back(code[i].falls_through);
    for (const uint32_t target : code[i].targets) out.jumps.push_back({i, index_of(code, target)});
  }
  return out;
}

}  // namespace

Scoreboard::Scoreboard(const std::vector<IgaInstruction>& code)
    : code_(code), flow_(flow_of(code)) {}

std::vector<uint32_t> Scoreboard::producers(uint32_t index) const {
  std::vector<uint32_t> out;
  const IgaInstruction& waiting = code_[index];
  const uint32_t wanted = waiting.waits() != 0 ? waiting.waits() : waiting.sets;
  if (wanted == 0) return out;
  // the tokens that are free below an instruction, since it has waited for them
  const auto freed = [&](const IgaInstruction& each) {
    if (waiting.waits() == 0) return each.waits_done;
    if (!waiting.waits_for_all) return uint32_t{0};
    return waiting.waits_done != 0 ? each.waits_done : each.waits();
  };
  // the tokens with which each instruction was visited
  std::unordered_map<uint32_t, uint32_t> seen;
  struct Step {
    uint32_t index, wanted;
  };
  std::vector<Step> open;
  size_t steps = 0;
  const auto visit_predecessors = [&](uint32_t from, uint32_t tokens) {
    flow_.each_predecessor(from, [&](uint32_t to, FlowGraph::Way, uint32_t) {
      if (++steps >= kMaxSteps) return;
      uint32_t& before = seen[to];
      if ((tokens & ~before) == 0) return;
      open.push_back({to, tokens & ~before});
      before |= tokens;
    });
  };
  visit_predecessors(index, wanted);
  while (!open.empty() && steps < kMaxSteps) {
    const Step step = open.back();
    open.pop_back();
    const IgaInstruction& each = code_[step.index];
    if ((each.sets & step.wanted) != 0) out.push_back(step.index);
    if (const uint32_t left = step.wanted & ~each.sets & ~freed(each); left != 0)
      visit_predecessors(step.index, left);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace aiflame
