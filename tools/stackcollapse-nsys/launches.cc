// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/launches.h"

#include <algorithm>
#include <tuple>

#include "tools/stackcollapse-nsys/call_chains.h"
#include "tools/stackcollapse-nsys/export_time.h"
#include "tools/stackcollapse-nsys/frame_texts.h"

namespace aiflame::nsys {
namespace {

// A graph is a copy of a captured one, and may be copied again.
constexpr int kMostCopies = 8;

bool by_correlation(const HostCall& a, const HostCall& b) {
  const int64_t process_a = process_of(a.thread), process_b = process_of(b.thread);
  return std::tie(process_a, a.id, a.time) < std::tie(process_b, b.id, b.time);
}

}  // namespace

Launches::Launches(const SqliteDatabase& database, const Strings& strings, const Settings& settings,
                   const NvtxRanges& ranges, Processes& processes, ImportedStacks& stacks)
    : stacks_(stacks) {
  read_calls(database, strings, settings, processes);
  std::vector<HostCall> nodes = read_nodes(database);
  sort_by_time(calls_);
  sort_by_time(nodes);
  {
    const ThreadRanges around = ranges.around([&](uint64_t thread, uint64_t begin, uint64_t end) {
      return any_between(calls_, thread, begin, end) || any_between(nodes, thread, begin, end);
    });
    around.enclose(calls_);
    around.enclose(nodes);
  }
  if (settings.frames.calls)
    CallChains(database, "CUDA_CALLCHAINS", strings, settings.import.names, calls_, stacks)
        .stand_on(calls_);
  if (settings.frames.runtime)
    for (HostCall& call : calls_)
      // with a call chain, the function is the innermost frame already
      if (call.stack == ImportedStacks::kEmpty || stacks.frame_of(call.stack) != call.name)
        call.stack = stacks.child(call.stack, call.name);
  std::sort(calls_.begin(), calls_.end(), by_correlation);
  one_process_ =
      calls_.empty() || process_of(calls_.front().thread) == process_of(calls_.back().thread);
  for (const HostCall& node : nodes)
    nodes_.push_back({process_of(node.thread), node.id, node.chain, node.stack});
  std::sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) {
    return std::tie(a.process, a.id) < std::tie(b.process, b.id);
  });
}

void Launches::read_calls(const SqliteDatabase& database, const Strings& strings,
                          const Settings& settings, Processes& processes) {
  SqliteRows rows =
      database.rows("CUPTI_ACTIVITY_KIND_RUNTIME",
                    {"start", "globalTid", "correlationId", "nameId", "callchainId", "end"}, 3);
  int64_t process = 0;
  uint32_t root = processes.root(std::nullopt);
  while (rows.next()) {
    const auto thread = rows.number(1), correlation = rows.number(2);
    if (!thread || !correlation) continue;
    const auto on = static_cast<uint64_t>(*thread);
    if (process_of(on) != process) {
      process = process_of(on);
      root = processes.root(process);
    }
    const std::string_view name = api_name(strings.text(rows.number(3)));
    const int64_t chain = settings.frames.calls ? rows.number(4).value_or(0) : 0;
    const int64_t start = rows.need(0);
    calls_.push_back({on, nanoseconds(start), nanoseconds(rows.number(5).value_or(start)),
                      *correlation, chain, stacks_.frame(name), root});
  }
}

std::vector<HostCall> Launches::read_nodes(const SqliteDatabase& database) {
  std::vector<HostCall> nodes;
  SqliteRows rows = database.rows("CUDA_GRAPH_NODE_EVENTS",
                                  {"start", "globalTid", "graphNodeId", "originalGraphNodeId"}, 3);
  while (rows.next()) {
    const auto time = rows.number(0), thread = rows.number(1), node = rows.number(2);
    if (time && thread && node)
      nodes.push_back({.thread = static_cast<uint64_t>(*thread),
                       .time = nanoseconds(*time),
                       .id = *node,
                       .chain = rows.number(3).value_or(0)});
  }
  return nodes;
}

const HostCall* Launches::find(std::optional<int64_t> process,
                               std::optional<int64_t> correlation) const {
  if (!correlation || calls_.empty() || (!process && !one_process_)) return nullptr;
  const int64_t owner = process ? *process : process_of(calls_.front().thread);
  const HostCall key{.thread = static_cast<uint64_t>(owner), .id = *correlation};
  const auto at = std::lower_bound(calls_.begin(), calls_.end(), key, by_correlation);
  if (at == calls_.end() || at->id != *correlation || process_of(at->thread) != owner)
    return nullptr;
  return &*at;
}

const Launches::Node* Launches::find_one(int64_t process, int64_t id) const {
  const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), std::pair(process, id),
                                   [](const Node& a, const std::pair<int64_t, int64_t>& b) {
                                     return std::tie(a.process, a.id) < std::tie(b.first, b.second);
                                   });
  return at == nodes_.end() || at->process != process || at->id != id ? nullptr : &*at;
}

uint32_t Launches::find_node(std::optional<int64_t> process, std::optional<int64_t> node) const {
  if (!process || !node) return ImportedStacks::kEmpty;
  const Node* known = find_one(*process, *node);
  for (int i = 0; i < kMostCopies && known != nullptr && known->original != 0; ++i) {
    const Node* original = find_one(*process, known->original);
    if (original == nullptr) break;
    known = original;
  }
  return known == nullptr ? ImportedStacks::kEmpty : known->stack;
}

}  // namespace aiflame::nsys
