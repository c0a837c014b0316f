// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/probes/probed_lists.h"

namespace aiflame::record {
namespace {

// Distinct pairs of kernel and stack in one list. Frameworks put some thousand launches into a
// list, from as many places as the network has layers.
constexpr size_t kMaxContent = 1 << 14;

}  // namespace

ProbedLists::List* ProbedLists::list_at(uint32_t pid, uint64_t list) {
  const auto known = lists_.find({pid, list});
  if (known != lists_.end()) return &known->second;
  return budgets_.take(Kept::probes, pid, kListBytes) ? &lists_[{pid, list}] : nullptr;
}

void ProbedLists::clear(uint32_t pid, List& list) {
  for (const auto& [what, count] : list.content) budgets_.give_back(Kept::probes, pid, cost(what));
  list.content.clear();
}

void ProbedLists::create(uint32_t pid, uint64_t list, bool immediate) {
  List* to = list_at(pid, list);
  if (to == nullptr) return;
  clear(pid, *to);
  to->kind = immediate ? Kind::immediate : Kind::regular;
  to->whole = true;
}

void ProbedLists::append(uint32_t pid, uint64_t list, const Appended& what, const Report& report) {
  List* to = list_at(pid, list);
  if (to == nullptr || to->kind != Kind::regular) report(what, 1, false, false);
  if (to == nullptr || to->kind == Kind::immediate) return;
  if (const auto known = to->content.find(what); known != to->content.end())
    ++known->second;
  else if (to->content.size() < kMaxContent && budgets_.take(Kept::probes, pid, cost(what)))
    to->content[what] = 1;
  else
    to->whole = false;
}

void ProbedLists::retract(List& list, const Report& report) {
  if (list.kind == Kind::unknown)
    for (const auto& [what, count] : list.content) report(what, count, false, true);
  list.kind = Kind::regular;
}

void ProbedLists::close(uint32_t pid, uint64_t list, const Report& report) {
  if (List* of = list_at(pid, list); of != nullptr) retract(*of, report);
}

void ProbedLists::reset(uint32_t pid, uint64_t list, const Report& report) {
  List* to = list_at(pid, list);
  if (to == nullptr) return;
  retract(*to, report);
  clear(pid, *to);
  to->whole = true;
}

void ProbedLists::destroy(uint32_t pid, uint64_t list) {
  const auto known = lists_.find({pid, list});
  if (known == lists_.end()) return;
  clear(pid, known->second);
  budgets_.give_back(Kept::probes, pid, kListBytes);
  lists_.erase(known);
}

void ProbedLists::execute(uint32_t pid, uint64_t list, const Report& report) const {
  const auto known = lists_.find({pid, list});
  if (known != lists_.end())
    for (const auto& [what, count] : known->second.content) report(what, count, true, false);
  if (known == lists_.end() || !known->second.whole) report({}, 1, true, false);
}

void ProbedLists::forget(uint32_t pid) {
  lists_.erase(lists_.lower_bound({pid, 0}), lists_.upper_bound({pid, UINT64_MAX}));
}

}  // namespace aiflame::record
