// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree_builder.h"

#include "libcommon/program.h"

namespace aiflame {

TreeBuilder::TreeBuilder(FlameTree::Order order, bool before, uint64_t most, uint32_t root_name) {
  tree_.order_ = order;
  tree_.differential_ = before;
  tree_.totals_ = CountArray(most);
  tree_.totals_before_ = CountArray(most);
  open(root_name);
}

uint32_t TreeBuilder::open(uint32_t name) {
  if (tree_.name_ids_.size() >= UINT32_MAX - 1) throw Error("more than 4294967294 frames");
  const uint32_t node = tree_.size();
  tree_.name_ids_.push_back(name);
  tree_.ends_.push_back(0);
  tree_.totals_.push_back(0);
  if (tree_.differential_) tree_.totals_before_.push_back(0);
  if (tree_.order_ == FlameTree::Order::input) tree_.starts_.push_back(sum_);
  open_.push_back({node, 0, 0});
  return node;
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
  if (tree_.differential_) tree_.totals_before_.set(closed.node, closed.before);
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
    if (tree_.differential_) tree_.totals_before_.set(node, tree_.totals_before_[node] * factor);
  }
  for (uint64_t& start : tree_.starts_) start *= factor;
}

void TreeBuilder::arrange(uint32_t parent, const std::vector<uint32_t>& children) {
  struct Node {
    uint32_t name, length;
    uint64_t total, before;
  };
  std::vector<Node> moved;
  moved.reserve(tree_.end(parent) - parent - 1);
  for (const uint32_t child : children)
    for (uint32_t node = child; node < tree_.end(child); ++node)
      moved.push_back({tree_.name_ids_[node], tree_.ends_[node] - node, tree_.totals_[node],
                       tree_.total_before(node)});
  uint32_t node = parent + 1;
  for (const Node& one : moved) {
    tree_.name_ids_[node] = one.name;
    tree_.ends_[node] = node + one.length;
    tree_.totals_.set(node, one.total);
    if (tree_.differential_) tree_.totals_before_.set(node, one.before);
    ++node;
  }
}

FlameTree TreeBuilder::finish(NameTable&& names, bool differential) {
  while (!open_.empty()) close();
  tree_.names_ = std::move(names);
  tree_.differential_ = differential;
  return std::move(tree_);
}

}  // namespace aiflame
