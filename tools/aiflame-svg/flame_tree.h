// SPDX-License-Identifier: MIT
// Folded stacks merged into a tree of frames.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/aiflame-svg/growing_array.h"
#include "tools/aiflame-svg/marked_stack.h"
#include "tools/aiflame-svg/name_table.h"
#include "tools/aiflame-svg/prefix_table.h"

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

  // A stack as StackMarker gives it.
  struct Stack {
    size_t shared = 0;  // how many frames it has in common with the one before
    // As long as `sorted`, its other frames; else all of them, with their hashes. They end at
    // marks[i].end of `text`, which has no others.
    std::span<const Mark> marks;
    std::string_view text;
    bool sorted = true;
    bool differs = false;  // it has a count from before
    uint64_t count = 0, before = 0;
  };
  // Adds stacks, and returns how many: less than all when, with the next one, the sum of all counts
  // would not fit 64 bits, or the frames 32.
  size_t add(std::span<const Stack> stacks);

  // The same for few stacks, frames joined by ';'. False when it does not fit.
  bool add(std::string_view stack, uint64_t count);
  bool add(std::string_view stack, uint64_t count, uint64_t before);
  // Multiplies every count; false when they would not fit.
  bool scale(uint64_t factor);

  // Sums up the inclusive counts and sorts the children; after the last add().
  void finish();

  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  std::string_view name(uint32_t node) const { return names_[nodes_[node].name]; }
  uint32_t name_id(uint32_t node) const { return nodes_[node].name; }
  // Every name that occurs, by its id.
  const NameTable& names() const { return names_; }
  uint32_t parent(uint32_t node) const { return nodes_[node].parent; }
  uint64_t total(uint32_t node) const { return nodes_[node].count; }
  // Without its children; computed.
  uint64_t self(uint32_t node) const {
    uint64_t self = nodes_[node].count;
    for (const uint32_t child : children(node)) self -= nodes_[child].count;
    return self;
  }
  // Any stack was added with two counts.
  bool differential() const { return differential_; }
  uint64_t self_before(uint32_t node) const { return differential_ ? before_[node] : 0; }
  uint64_t total_before(uint32_t node) const { return differential_ ? totals_before_[node] : 0; }
  // It has a count of its own.
  // What a differential is coloured by, before and after: of a frame itself, or with what is below.
  std::pair<uint64_t, uint64_t> change(uint32_t node, bool with_below) const {
    if (with_below) return {total_before(node), total(node)};
    return {self_before(node), self(node)};
  }
  bool has_own(uint32_t node) const { return self(node) > 0 || self_before(node) > 0; }

  // The children of `node` from left to right: as the lines of a sorted file would have them, where
  // a stack's own count comes before those that go on.
  std::span<const uint32_t> children(uint32_t node) const {
    return {children_.begin() + first_child_[node], first_child_[node + 1] - first_child_[node]};
  }
  // What asking for the children of those, and for their counts, will look at.
  void fetch(std::span<const uint32_t> nodes) const {
    for (const uint32_t node : nodes) {
      __builtin_prefetch(&nodes_[node]);
      __builtin_prefetch(&first_child_[node]);
    }
  }
  // In input order: the sum of what was added before `node` was opened.
  uint64_t start(uint32_t node) const { return starts_[node]; }
  Order order() const { return order_; }

 private:
  // Sixteen bytes, of which there are millions.
  struct Node {
    uint32_t name;
    uint32_t parent;
    uint64_t count;  // its own until finish(), then its children's, too
  };
  // Of a depth: nodes whose names are beginnings of one another and of the newest name there.
  using Beginnings = std::vector<uint32_t>;

  bool add_text(std::string_view text, Stack stack);
  // Adds the counts of `stack` to the node that `leaf` gives; false when they do not fit.
  template <typename Leaf>
  bool add_at(const Stack& stack, Leaf leaf);
  void make_differential();
  uint32_t append(uint32_t parent, std::string_view name, uint32_t hash);
  void expect_names(std::span<const Stack> stacks, size_t at) const;
  uint32_t walk(const Stack& stack);
  uint32_t child_in_order(uint32_t parent, size_t depth, std::string_view name, uint32_t hash);
  void make_table();
  struct Found {
    size_t depth;
    uint32_t node;
  };
  void find(std::span<const Stack> stacks, std::span<Found> found) const;
  Found find_one_by_one(const Stack& stack) const;
  uint32_t grow(const Stack& stack, Found found);
  void gather_children();

  Order order_;
  bool differential_ = false;
  NameTable names_;
  GrowingArray<Node> nodes_;
  uint64_t sum_ = 0, sum_before_ = 0;
  GrowingArray<uint64_t> before_, totals_before_;  // only of a differential
  GrowingArray<uint64_t> starts_;                  // only in input order
  GrowingArray<uint32_t> first_child_, children_;  // the former one longer than the nodes

  StackMarker marker_;                  // of add() with text
  std::vector<uint32_t> path_;          // the stack added last, as long as stacks come sorted
  std::vector<Beginnings> beginnings_;  // by depth, likewise
  PrefixTable table_;                   // from the first stack that does not
};

// `a;b;c` as `c;b;a`, for merging from the leaves.
void reverse_stack(std::string_view stack, std::string& out);

}  // namespace aiflame
