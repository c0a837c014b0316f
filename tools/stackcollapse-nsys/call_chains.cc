// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/call_chains.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-nsys/frame_texts.h"

namespace aiflame::nsys {
namespace {

// Nsight Systems itself ends chains earlier. Of a longer one the innermost frames are drawn.
constexpr size_t kDeepest = 1000;

}  // namespace

CallChains::CallChains(const SqliteDatabase& database, std::string_view table,
                       const Strings& strings, const NameRules& names,
                       const std::vector<HostCall>& calls, ImportedStacks& stacks)
    : stacks_(stacks) {
  for (const HostCall& call : calls)
    if (call.chain != 0) wanted_.push_back(call.chain);
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  // Exports have the chains in the order of their ids, so that each can be folded when the next one
  // begins. To sort them takes memory, and is done only for files that others have written.
  if (wanted_.empty() || read(database, table, strings, names, false)) return;
  if (!read(database, table, strings, names, true)) throw Error("call chains are not sorted");
}

// False if the chains are not in the order of their ids.
bool CallChains::read(const SqliteDatabase& database, std::string_view table,
                      const Strings& strings, const NameRules& names, bool ordered) {
  chains_.clear();
  std::vector<Frame> frames;
  int64_t id = INT64_MIN;
  SqliteRows rows = database.rows(table, {"id", "symbol", "module", "stackDepth"}, 4, ordered);
  while (rows.next()) {
    const int64_t next = rows.need(0);
    if (next < id) return false;
    if (next > id) add_chain(id, frames);
    id = next;
    if (!std::binary_search(wanted_.begin(), wanted_.end(), id)) continue;
    const auto symbol = rows.number(1), module = rows.number(2);
    const auto [at, added] = frames_.try_emplace({symbol.value_or(0), module.value_or(0)}, 0);
    if (added)
      at->second = stacks_.frame(call_frame(strings.text(symbol), strings.text(module), names));
    frames.push_back({rows.need(3), at->second});
  }
  add_chain(id, frames);
  return true;
}

void CallChains::add_chain(int64_t id, std::vector<Frame>& frames) {
  if (frames.empty()) return;
  std::stable_sort(frames.begin(), frames.end(),
                   [](const Frame& a, const Frame& b) { return a.depth > b.depth; });
  const size_t left_out = frames.size() - std::min(frames.size(), kDeepest);
  frames.erase(frames.begin(), frames.begin() + static_cast<ptrdiff_t>(left_out));
  uint32_t stack = ImportedStacks::kEmpty;
  for (const Frame& one : frames) stack = stacks_.child(stack, one.frame);
  chains_.emplace_back(id, stack);
  frames.clear();
}

uint32_t CallChains::find(int64_t id) const {
  const auto at = std::lower_bound(chains_.begin(), chains_.end(), std::pair(id, uint32_t{0}));
  return at == chains_.end() || at->first != id ? ImportedStacks::kEmpty : at->second;
}

void CallChains::stand_on(std::vector<HostCall>& calls) const {
  for (HostCall& call : calls)
    if (call.chain != 0) call.stack = stacks_.append(call.stack, find(call.chain));
}

}  // namespace aiflame::nsys
