// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/probed_lists.h"

namespace aiflame::record {
namespace {

// Distinct kernels and callers in a list; frameworks put some thousand launches into one, from as
// many places as the network has layers.
constexpr size_t kMaxContent = 1 << 14;

}  // namespace

void ProbedLists::made(uint32_t pid, uint64_t list, bool immediate) {
  lists_[{pid, list}] = {immediate ? Kind::immediate : Kind::regular, true, {}};
}

void ProbedLists::appended(uint32_t pid, uint64_t list, const Appended& what, const Tell& tell) {
  List& to = lists_[{pid, list}];
  if (to.kind != Kind::regular) tell(what, 1, false, false);
  if (to.kind == Kind::immediate) return;
  if (to.content.size() < kMaxContent || to.content.contains(what))
    ++to.content[what];
  else
    to.whole = false;
}

void ProbedLists::take_back(List& list, const Tell& tell) {
  if (list.kind == Kind::unknown)
    for (const auto& [what, count] : list.content) tell(what, count, false, true);
  list.kind = Kind::regular;
}

void ProbedLists::closed(uint32_t pid, uint64_t list, const Tell& tell) {
  take_back(lists_[{pid, list}], tell);
}

void ProbedLists::reset(uint32_t pid, uint64_t list, const Tell& tell) {
  List& to = lists_[{pid, list}];
  take_back(to, tell);
  to.content.clear();
  to.whole = true;
}

void ProbedLists::executed(uint32_t pid, uint64_t list, const Tell& tell) const {
  const auto known = lists_.find({pid, list});
  if (known != lists_.end())
    for (const auto& [what, count] : known->second.content) tell(what, count, true, false);
  if (known == lists_.end() || !known->second.whole) tell({}, 1, true, false);
}

void ProbedLists::forget(uint32_t pid) {
  lists_.erase(lists_.lower_bound({pid, 0}), lists_.upper_bound({pid, UINT64_MAX}));
}

}  // namespace aiflame::record
