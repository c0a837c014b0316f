// SPDX-License-Identifier: MIT
// Folded stacks merged into a tree of frames.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/aiflame-svg/name_table.h"

namespace aiflame {

// Stacks are merged frame by frame, whatever their order, so a frame is drawn once below one
// parent. (Merging neighbours of the sorted lines, as flamegraph.pl does, splits `a` in two when
// the lines are `a 1`, `a.x 1`, `a;b 1`.)
class FlameTree {
 public:
  enum class Order {
    merged,  // the x axis is the alphabet: all equal stacks are one
    input,   // the x axis is the input (a flame chart): only neighbours are merged
  };
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit FlameTree(Order order = Order::merged);

  // Frames joined by ';', root first; empty frames at the end do not count. Adds `count`; false,
  // and nothing added, when the sum of all counts would not fit 64 bits, or the frames 32.
  bool add(std::string_view stack, uint64_t count);
  // The same of a differential: a stack counted `before` and `count`.
  bool add(std::string_view stack, uint64_t count, uint64_t before);
  // Multiplies every count; false when they would not fit.
  bool scale(uint64_t factor);

  // Sums up the inclusive counts; after the last add().
  void finish();

  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  std::string_view name(uint32_t node) const { return names_[nodes_[node].name]; }
  uint32_t name_id(uint32_t node) const { return nodes_[node].name; }
  // Every name that occurs, by its id.
  const NameTable& names() const { return names_; }
  uint32_t parent(uint32_t node) const { return nodes_[node].parent; }
  uint64_t self(uint32_t node) const { return self_[node]; }
  uint64_t total(uint32_t node) const { return totals_[node]; }
  // Any stack was added with two counts.
  bool differential() const { return differential_; }
  uint64_t self_before(uint32_t node) const { return differential_ ? before_[node] : 0; }
  uint64_t total_before(uint32_t node) const { return differential_ ? totals_before_[node] : 0; }

  // The children of `node` from left to right, into `out`: as the lines of a sorted file would
  // have them, where a stack's own count comes before those that go on.
  void children(uint32_t node, std::vector<uint32_t>& out) const;
  // In input order: the sum of what was added before `node` was opened.
  uint64_t start(uint32_t node) const { return starts_[node]; }
  Order order() const { return order_; }

 private:
  static constexpr uint32_t kNoChild = UINT32_MAX >> 1;
  // Children of a node are a list. Most nodes have one child, made together with it: walking on to
  // it is walking on in memory, much faster than any table. Beyond this many the table has them.
  static constexpr unsigned kMaxUnindexed = 4;

  struct Node {
    uint32_t name;
    uint32_t parent;
    uint32_t first_child : 31;  // the newest
    uint32_t indexed : 1;       // the children are in edges_
    uint32_t next_sibling;
  };
  // (parent, name) -> node. The key is repeated here so that a look-up misses the cache once.
  struct Edge {
    uint32_t parent = 0;
    uint32_t name = 0;
    uint32_t node = kNone;
  };
  struct Step {
    uint32_t end;  // of the frame, in the stack
    uint32_t node;
  };

  bool walk(std::string_view stack);
  uint32_t child(uint32_t parent, std::string_view name);
  uint32_t append(uint32_t parent, uint32_t name);
  void index(const Edge& edge);
  void grow_edges();
  size_t edge_slot(uint32_t parent, uint32_t name) const;

  Order order_;
  bool differential_ = false;
  NameTable names_;
  std::vector<Node> nodes_;
  std::vector<uint64_t> self_;
  std::vector<Edge> edges_;  // open addressing
  size_t indexed_ = 0;       // of them in use
  uint64_t sum_ = 0, sum_before_ = 0;
  std::vector<uint64_t> totals_;
  std::vector<uint64_t> before_, totals_before_;  // only of a differential
  std::vector<uint64_t> starts_;                  // only in input order
  // The stack added last: lines of a sorted file share most of their frames with the one before.
  std::string previous_;
  std::vector<Step> path_;
};

// `a;b;c` as `c;b;a`, for merging from the leaves.
void reverse_stack(std::string_view stack, std::string& out);

}  // namespace aiflame
