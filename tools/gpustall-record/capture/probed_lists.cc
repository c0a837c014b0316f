// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/probed_lists.h"

namespace aiflame::record {
namespace {

// Distinct pairs of kernel and stack in one list. Frameworks put some thousand launches into a
// list, from as many places as the network has layers.
constexpr size_t kMaxContent = 1 << 14;

}  // namespace

void ProbedLists::create(uint32_t pid, uint64_t list, bool immediate) {
  lists_[{pid, list}] = {immediate ? Kind::immediate : Kind::regular, true, {}};
}

void ProbedLists::append(uint32_t pid, uint64_t list, const Appended& what, const Report& report) {
  List& to = lists_[{pid, list}];
  if (to.kind != Kind::regular) report(what, 1, false, false);
  if (to.kind == Kind::immediate) return;
  if (to.content.size() < kMaxContent || to.content.contains(what))
    ++to.content[what];
  else
    to.whole = false;
}

void ProbedLists::retract(List& list, const Report& report) {
  if (list.kind == Kind::unknown)
    for (const auto& [what, count] : list.content) report(what, count, false, true);
  list.kind = Kind::regular;
}

void ProbedLists::close(uint32_t pid, uint64_t list, const Report& report) {
  retract(lists_[{pid, list}], report);
}

void ProbedLists::reset(uint32_t pid, uint64_t list, const Report& report) {
  List& to = lists_[{pid, list}];
  retract(to, report);
  to.content.clear();
  to.whole = true;
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
