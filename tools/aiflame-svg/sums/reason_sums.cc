// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/sums/reason_sums.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace aiflame::svg {
namespace {

constexpr auto kIssuing = static_cast<size_t>(StallReason::Category::issuing);

bool is_hidden(const StallReason* reason) {
  return reason != nullptr && is_always_hidden(*reason);
}

}  // namespace

uint64_t ReasonSums::all() const {
  return std::accumulate(of.begin(), of.end(), uint64_t{0});
}

uint64_t ReasonSums::stalls() const {
  return all() - of[kIssuing] - hidden;
}

ReasonSums sum_reasons(const FlameTree& tree, const ReasonNames& reasons) {
  ReasonSums out;
  if (reasons.empty()) return out;
  // by name: its reason, if it is one
  std::vector<std::optional<const StallReason*>> reason_of(tree.names().size());
  for (uint32_t i = 0; i < reason_of.size(); ++i)
    if (const auto found = reasons.find(tree.names()[i]); found != reasons.end())
      reason_of[i] = found->second;
  struct Open {
    uint32_t end;  // of the node's descendants
    std::optional<const StallReason*> reason;
  };
  std::vector<Open> open;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    while (!open.empty() && open.back().end <= node) open.pop_back();
    std::optional<const StallReason*> reason = reason_of[tree.name_id(node)];
    if (!reason && !open.empty()) reason = open.back().reason;
    open.push_back({tree.end(node), reason});
    if (!reason) continue;
    const uint64_t own = tree.self(node);
    out.of[static_cast<size_t>(category_of(*reason))] += own;
    if (is_hidden(*reason)) out.hidden += own;
  }
  return out;
}

bool has_work(const ReasonNames& reasons) {
  return std::any_of(reasons.begin(), reasons.end(), [](const auto& one) {
    return category_of(one.second) == StallReason::Category::issuing || is_hidden(one.second);
  });
}

}  // namespace aiflame::svg
