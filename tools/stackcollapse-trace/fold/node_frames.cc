// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/node_frames.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "tools/stackcollapse-trace/fold/host_stacks.h"

namespace aiflame::trace {
namespace {

// What is named, for traces that have the node's half of an id alone. PyTorch numbers nodes of all
// graphs with one counter, but a graph that is instantiated twice has its nodes twice.
class Halves {
 public:
  explicit Halves(const NodesNames& names) {
    for (const auto& [id, one] : names) {
      const auto [at, is_new] = by_half_.try_emplace(static_cast<uint32_t>(id), &one);
      if (!is_new && !is_same(*at->second, one)) at->second = nullptr;
    }
  }
  // nullptr: none, or nodes with different names.
  const NodeNames* find(uint64_t half) const {
    const auto at = by_half_.find(static_cast<uint32_t>(half));
    return at == by_half_.end() ? nullptr : at->second;
  }

 private:
  static bool is_same(const NodeNames& a, const NodeNames& b) {
    return a.mark == b.mark && a.backward == b.backward && a.functions == b.functions;
  }

  std::map<uint32_t, const NodeNames*> by_half_;
};

// The outermost function is the last one.
uint32_t functions_stack(std::string_view functions, const NameRules& rules,
                         ImportedStacks& stacks) {
  std::vector<uint32_t> frames;
  while (!functions.empty()) {
    const size_t end = std::min(functions.find('\n'), functions.size());
    const auto line = parse_node_function(functions.substr(0, end));
    functions.remove_prefix(std::min(end + 1, functions.size()));
    if (line)
      frames.push_back(stacks.frame(python_frame(line->function, line->file, line->line, rules)));
  }
  if (frames.empty()) return kNoNumber;
  uint32_t out = ImportedStacks::kEmpty;
  for (size_t i = frames.size(); i-- > 0;) out = stacks.child(out, frames[i]);
  return out;
}

}  // namespace

NodeFrames::NodeFrames(const Trace& trace, const NodesNames& names, const NameRules& rules,
                       ImportedStacks& stacks)
    : nodes_(trace.graph_nodes.size()) {
  NameRules with_lines = rules;
  with_lines.lines = true;
  const Halves halves(names);
  std::map<const NodeNames*, Frames> known;  // replays repeat them
  for (const GraphNode& node : trace.graph_nodes) {
    const auto exact = names.find(node.id);
    const NodeNames* one = exact != names.end() ? &exact->second
                           : node.has_graph     ? nullptr
                                                : halves.find(node.id);
    Frames frames;
    if (one != nullptr) {
      const auto [at, is_new] = known.try_emplace(one);
      if (is_new) {
        at->second.functions = functions_stack(one->functions, with_lines, stacks);
        if (!one->mark.empty()) at->second.mark = stacks.frame(range_frame(one->mark));
        at->second.backward = one->backward;
      }
      frames = at->second;
    }
    if (frames.mark == kNoNumber && node.mark != kNoNumber)
      frames.mark = stacks.frame(range_frame(trace.texts.text(node.mark)));
    if (frames.functions != kNoNumber || frames.mark != kNoNumber) by_work_[node.work] = frames;
  }
}

uint32_t NodeFrames::functions_of(size_t work) const {
  const auto at = by_work_.find(work);
  return at == by_work_.end() ? kNoNumber : at->second.functions;
}

bool NodeFrames::has_mark(size_t work) const {
  const auto at = by_work_.find(work);
  return at != by_work_.end() && at->second.mark != kNoNumber;
}

uint32_t NodeFrames::with_mark(uint32_t stack, size_t work, ImportedStacks& stacks) const {
  const auto at = by_work_.find(work);
  if (at == by_work_.end() || at->second.mark == kNoNumber) return stack;
  stack = stacks.child(stack, at->second.mark);
  return at->second.backward ? stacks.child(stack, kBackward) : stack;
}

}  // namespace aiflame::trace
