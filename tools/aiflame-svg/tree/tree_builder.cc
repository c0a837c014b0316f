// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree/tree_builder.h"

#include "libcommon/base/program.h"

namespace aiflame::svg {

// Only a late line may show that the input has two counts, so both are kept from the start.
TreeBuilder::TreeBuilder(uint32_t root_name) {
  tree_.order_ = FlameTree::Order::input;
  tree_.differential_ = true;
  open(root_name);
}

void TreeBuilder::open(uint32_t name) {
  if (tree_.name_ids_.size() >= UINT32_MAX - 1) throw Error("more than 4294967294 frames");
  tree_.name_ids_.push_back(name);
  tree_.ends_.push_back(0);
  tree_.totals_.push_back(0);
  tree_.totals_before_.push_back(0);
  tree_.starts_.push_back(sum_);
  open_.push_back({tree_.size() - 1, 0, 0});
}

void TreeBuilder::count(uint64_t count, uint64_t before) {
  open_.back().total += count;
  open_.back().before += before;
  sum_ += count;
}

void TreeBuilder::close() {
  const Open closed = open_.back();
  open_.pop_back();
  tree_.ends_[closed.node] = tree_.size();
  tree_.totals_.set(closed.node, closed.total);
  tree_.totals_before_.set(closed.node, closed.before);
  if (open_.empty()) return;
  open_.back().total += closed.total;
  open_.back().before += closed.before;
}

void TreeBuilder::scale(uint64_t factor) {
  sum_ *= factor;
  for (Open& open : open_) {
    open.total *= factor;
    open.before *= factor;
  }
  for (uint32_t node = 0; node < tree_.size(); ++node) {
    tree_.totals_.set(node, tree_.totals_[node] * factor);
    tree_.totals_before_.set(node, tree_.totals_before_[node] * factor);
  }
  for (uint64_t& start : tree_.starts_) start *= factor;
}

FlameTree TreeBuilder::finish(NameTable&& names, bool differential) {
  while (!open_.empty()) close();
  tree_.names_ = std::move(names);
  tree_.differential_ = differential;
  return std::move(tree_);
}

}  // namespace aiflame::svg
