// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/flame_tree.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "libcommon/count.h"

namespace aiflame {
namespace {

// How many bytes two stacks have in common at their front.
size_t common_prefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t i = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; i + 8 <= size; i += 8) {
      uint64_t x = 0, y = 0;
      std::memcpy(&x, a.data() + i, 8);
      std::memcpy(&y, b.data() + i, 8);
      if (x != y) return i + static_cast<size_t>(std::countr_zero(x ^ y)) / 8;
    }
  }
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

FlameTree::FlameTree(Order order) : order_(order), edges_(1024) {
  nodes_.push_back({names_.intern(""), kNone, kNoChild, 0, kNoChild});
  self_.push_back(0);
  if (order_ == Order::input) starts_.push_back(0);
}

bool FlameTree::add(std::string_view stack, uint64_t count) {
  // beside two-count stacks, one without a count from before has not changed
  if (differential_) return add(stack, count, count);
  if (count > UINT64_MAX - sum_ || !walk(stack)) return false;
  self_[path_.empty() ? kRoot : path_.back().node] += count;
  sum_ += count;
  return true;
}

bool FlameTree::add(std::string_view stack, uint64_t count, uint64_t before) {
  if (!differential_) {
    differential_ = true;
    before_ = self_;
    sum_before_ = sum_;
  }
  if (count > UINT64_MAX - sum_ || before > UINT64_MAX - sum_before_ || !walk(stack)) return false;
  const uint32_t leaf = path_.empty() ? kRoot : path_.back().node;
  self_[leaf] += count;
  before_[leaf] += before;
  sum_ += count;
  sum_before_ += before;
  return true;
}

bool FlameTree::scale(uint64_t factor) {
  uint64_t sum = std::max(sum_, sum_before_);
  if (!multiply_checked(sum, factor)) return false;
  sum_ *= factor;
  sum_before_ *= factor;
  for (uint64_t& self : self_) self *= factor;
  for (uint64_t& before : before_) before *= factor;
  for (uint64_t& start : starts_) start *= factor;
  return true;
}

// Makes path_ the nodes of `stack`.
bool FlameTree::walk(std::string_view stack) {
  stack = stack.substr(0, stack.find_last_not_of(';') + 1);
  if (stack.size() > UINT32_MAX || nodes_.size() + stack.size() >= kNoChild) return false;
  const size_t same = common_prefix(stack, previous_);
  // a frame is shared when it ends within what is the same, and ends there in this stack too
  while (!path_.empty() && (path_.back().end > same ||
                            (path_.back().end < stack.size() && stack[path_.back().end] != ';')))
    path_.pop_back();
  uint32_t node = path_.empty() ? kRoot : path_.back().node;
  size_t begin = path_.empty() ? 0 : path_.back().end + 1;
  previous_.resize(same);
  previous_.append(stack.substr(same));
  // `begin` is one past the end when the whole stack is shared
  while (begin < stack.size()) {
    const size_t end = std::min(stack.find(';', begin), stack.size());
    node = child(node, stack.substr(begin, end - begin));
    path_.push_back({static_cast<uint32_t>(end), node});
    begin = end + 1;
  }
  return true;
}

uint32_t FlameTree::child(uint32_t parent, std::string_view name) {
  const uint32_t id = names_.intern(name);
  // in input order walk() has already kept what the stack before shares
  if (order_ == Order::input) return append(parent, id);
  if (nodes_[parent].indexed != 0) {
    const Edge& edge = edges_[edge_slot(parent, id)];
    if (edge.node != kNone) return edge.node;
    const uint32_t node = append(parent, id);
    index({parent, id, node});
    return node;
  }
  unsigned count = 0;
  for (uint32_t i = nodes_[parent].first_child; i != kNoChild; i = nodes_[i].next_sibling) {
    if (nodes_[i].name == id) return i;
    ++count;
  }
  const uint32_t node = append(parent, id);
  if (count == kMaxUnindexed) {
    nodes_[parent].indexed = 1;
    for (uint32_t i = node; i != kNoChild; i = nodes_[i].next_sibling)
      index({parent, nodes_[i].name, i});
  }
  return node;
}

uint32_t FlameTree::append(uint32_t parent, uint32_t name) {
  const uint32_t node = size();
  nodes_.push_back({name, parent, kNoChild, 0, nodes_[parent].first_child});
  self_.push_back(0);
  nodes_[parent].first_child = node & kNoChild;
  if (differential_) before_.push_back(0);
  if (order_ == Order::input) starts_.push_back(sum_);
  return node;
}

void FlameTree::index(const Edge& edge) {
  if (++indexed_ * 3 > edges_.size() * 2) grow_edges();
  edges_[edge_slot(edge.parent, edge.name)] = edge;
}

size_t FlameTree::edge_slot(uint32_t parent, uint32_t name) const {
  const size_t mask = edges_.size() - 1;
  const uint64_t hash = ((uint64_t{parent} << 32) | name) * 0x9e3779b97f4a7c15;
  size_t slot = (hash ^ (hash >> 32)) & mask;
  for (; edges_[slot].node != kNone; slot = (slot + 1) & mask)
    if (edges_[slot].parent == parent && edges_[slot].name == name) break;
  return slot;
}

void FlameTree::grow_edges() {
  std::vector<Edge> old(edges_.size() * 2);
  old.swap(edges_);
  for (const Edge& edge : old)
    if (edge.node != kNone) edges_[edge_slot(edge.parent, edge.name)] = edge;
}

void FlameTree::finish() {
  // a child is always younger than its parent, so one pass from the back sums everything up
  totals_ = self_;
  totals_before_ = before_;
  for (size_t i = nodes_.size() - 1; i > 0; --i) {
    totals_[nodes_[i].parent] += totals_[i];
    if (differential_) totals_before_[nodes_[i].parent] += totals_before_[i];
  }
}

void FlameTree::children(uint32_t node, std::vector<uint32_t>& out) const {
  out.clear();
  for (uint32_t i = nodes_[node].first_child; i != kNoChild; i = nodes_[i].next_sibling)
    out.push_back(i);
  if (order_ == Order::input) {
    std::reverse(out.begin(), out.end());
    return;
  }
  // By what a sorted file has behind the name: the blank before a count, or the ';' before more
  // frames. So `a.x` is left of an `a` that only goes on, as in flamegraph.pl.
  const auto end_byte = [this](uint32_t i) {
    return self(i) > 0 || self_before(i) > 0 ? ' ' : ';';
  };
  std::sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) {
    const std::string_view x = name(a), y = name(b);
    const size_t size = std::min(x.size(), y.size());
    const int order = x.substr(0, size).compare(y.substr(0, size));
    if (order != 0) return order < 0;
    const auto byte_at = [&](std::string_view text, uint32_t i) {
      return static_cast<unsigned char>(text.size() > size ? text[size] : end_byte(i));
    };
    const unsigned char left = byte_at(x, a), right = byte_at(y, b);
    return left != right ? left < right : x.size() < y.size();
  });
}

void reverse_stack(std::string_view stack, std::string& out) {
  out.clear();
  stack = stack.substr(0, stack.find_last_not_of(';') + 1);
  for (;;) {
    const size_t semicolon = stack.rfind(';');
    if (semicolon == std::string_view::npos) break;
    out.append(stack.substr(semicolon + 1));
    out += ';';
    stack = stack.substr(0, semicolon);
  }
  out.append(stack);
}

}  // namespace aiflame
