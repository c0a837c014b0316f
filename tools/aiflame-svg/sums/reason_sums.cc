// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/sums/reason_sums.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

namespace aiflame::svg {
namespace {

constexpr auto kIssuing = static_cast<size_t>(StallReason::Category::issuing);

bool is_hidden(const StallReason* reason) {
  return reason != nullptr && is_always_hidden(*reason);
}

}  // namespace

uint64_t own_count(const FlameTree& tree, uint32_t node) {
  return tree.end(node) == node + 1 ? tree.total(node) : tree.self(node);
}

uint64_t ReasonSums::all() const {
  return std::accumulate(of.begin(), of.end(), uint64_t{0});
}

uint64_t ReasonSums::stalls() const {
  return all() - of[kIssuing] - hidden;
}

ReasonSums sum_reasons(const FlameTree& tree, const ReasonNames& reasons) {
  ReasonSums out;
  if (reasons.empty()) return out;
  // by name: what it counts for, the categories from 1 on
  constexpr uint8_t kNone = 0, kHidden = StallReason::kCategories + 1;
  std::vector<uint8_t> kind_of(tree.names().size(), kNone);
  for (uint32_t i = 0; i < kind_of.size(); ++i) {
    const std::string_view name = tree.names()[i];
    if (!name.ends_with("_[g]")) continue;
    if (const auto found = reasons.find(name); found != reasons.end())
      kind_of[i] = is_hidden(found->second)
                       ? kHidden
                       : static_cast<uint8_t>(1 + static_cast<size_t>(category_of(found->second)));
  }
  struct Open {
    uint32_t end;  // of the node's descendants
    uint8_t kind;
  };
  std::array<uint64_t, kHidden + 1> sums{};
  std::vector<Open> open = {{tree.size(), kNone}};
  for (uint32_t node = 0; node < tree.size(); ++node) {
    while (open.back().end <= node) open.pop_back();
    const uint8_t own = kind_of[tree.name_id(node)], kind = own != kNone ? own : open.back().kind;
    const uint32_t end = tree.end(node);
    if (kind != kNone) sums[kind] += own_count(tree, node);
    if (end > node + 1) open.push_back({end, kind});
  }
  std::copy_n(sums.begin() + 1, out.of.size(), out.of.begin());
  out.hidden = sums[kHidden];
  out.of[static_cast<size_t>(StallReason::Category::other)] += out.hidden;
  return out;
}

bool has_work(const ReasonNames& reasons) {
  return std::any_of(reasons.begin(), reasons.end(), [](const auto& one) {
    return category_of(one.second) == StallReason::Category::issuing || is_hidden(one.second);
  });
}

}  // namespace aiflame::svg
