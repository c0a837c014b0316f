// SPDX-License-Identifier: MIT
// The tree of frames that folded stacks are merged into.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "libcommon/memory/growing_array.h"
#include "tools/aiflame-svg/read/name_table.h"
#include "tools/aiflame-svg/tree/count_array.h"

namespace aiflame::svg {

// Nodes are numbered depth first, from left to right: a node's descendants are the nodes after it,
// up to its end. So a walk through the whole tree is one linear scan of memory.
// TreeAssembly and TreeBuilder make trees.
class FlameTree {
 public:
  enum class Order {
    // The x axis is alphabetical. All equal stacks are merged, and a parent has one child of a
    // name.
    // (flamegraph.pl merges only neighbours of the sorted lines, which splits `a` in two when the
    // lines are `a 1`, `a.x 1`, `a;b 1`.)
    merged,
    input,  // the x axis is the order of the input (a flame chart): only neighbours are merged
  };
  static constexpr uint32_t kRoot = 0;

  // The nodes directly on top of a node, from left to right. They have the order of the lines of a
  // sorted file, in which a stack's own line comes before lines that continue it.
  class Children {
   public:
    class Iterator {
     public:
      Iterator(const FlameTree& tree, uint32_t node) : tree_(&tree), node_(node) {}
      uint32_t operator*() const { return node_; }
      Iterator& operator++() {
        node_ = tree_->end(node_);
        return *this;
      }
      bool operator!=(const Iterator& other) const { return node_ != other.node_; }

     private:
      const FlameTree* tree_;
      uint32_t node_;
    };
    Children(const FlameTree& tree, uint32_t node) : tree_(&tree), node_(node) {}
    Iterator begin() const { return {*tree_, node_ + 1}; }
    Iterator end() const { return {*tree_, tree_->end(node_)}; }
    bool empty() const { return tree_->end(node_) == node_ + 1; }

   private:
    const FlameTree* tree_;
    uint32_t node_;
  };
  Children children(uint32_t node) const { return {*this, node}; }
  // One past its last descendant.
  uint32_t end(uint32_t node) const { return ends_[node]; }

  uint32_t size() const { return static_cast<uint32_t>(name_ids_.size()); }
  std::string_view name(uint32_t node) const { return names_[name_ids_[node]]; }
  uint32_t name_id(uint32_t node) const { return name_ids_[node]; }
  // Every name in the tree, by its id.
  const NameTable& names() const { return names_; }
  uint64_t total(uint32_t node) const { return totals_[node]; }
  // Without its children; computed by a loop over them.
  uint64_t self(uint32_t node) const { return self(node, totals_); }
  // Whether any stack had two counts.
  bool differential() const { return differential_; }
  uint64_t self_before(uint32_t node) const {
    return differential_ ? self(node, totals_before_) : 0;
  }
  uint64_t total_before(uint32_t node) const { return differential_ ? totals_before_[node] : 0; }
  // The counts before and after that colour a frame of a differential: its own, or with its
  // descendants.
  std::pair<uint64_t, uint64_t> change(uint32_t node, bool with_descendants) const {
    if (with_descendants) return {total_before(node), total(node)};
    return {self_before(node), self(node)};
  }

  // How many counts wide a node is drawn: its total, unless vanished counts are to be seen.
  uint64_t room(uint32_t node) const { return rooms_.size() > 0 ? rooms_[node] : totals_[node]; }
  // Without its children.
  uint64_t self_room(uint32_t node) const {
    return self(node, rooms_.size() > 0 ? rooms_ : totals_);
  }
  bool shows_vanished() const { return rooms_.size() > 0; }
  // In a differential: makes each node's own part as wide as the greater of its two counts. So a
  // node is as wide as its count after, and all that vanished from it and from what is on top of
  // it. Throws Error when the whole would exceed 64 bits.
  void show_vanished();

  // In input order: the sum of all counts before `node` begins.
  uint64_t start(uint32_t node) const { return starts_[node]; }
  Order order() const { return order_; }

 private:
  friend class TreeAssembly;
  friend class TreeBuilder;

  uint64_t self(uint32_t node, const CountArray& totals) const {
    uint64_t self = totals[node];
    for (const uint32_t child : children(node)) self -= totals[child];
    return self;
  }

  Order order_ = Order::merged;
  bool differential_ = false;
  NameTable names_;
  GrowingArray<uint32_t> name_ids_, ends_;
  CountArray totals_, totals_before_;  // the latter only in a differential
  CountArray rooms_;                   // only after show_vanished()
  GrowingArray<uint64_t> starts_;      // only in input order
};

}  // namespace aiflame::svg
