/* SPDX-License-Identifier: MIT
 *
 * What is known of the nodes of graphs, by their ids. Instantiating a graph clones its nodes, and
 * each instance has clones of its own.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace aiflame::agent::cupti {

struct Node {
  uint64_t id;           // unique in the process, never 0
  const void* context;   // of its function
  const void* function;  // that it runs; null for an operation
  const void* made_at;   // a KeptCall; null = not known
};

class NodeTable {
 public:
  // A graph of 100 000 nodes and an instance of it have 200 000. Memory is used as nodes come: 48
  // bytes each. Beyond this number the oldest ones are forgotten, and their clones with them.
  static constexpr uint32_t kMost = 1 << 18;

  // Null when it is not known. Valid until the next change.
  const Node* find(uint64_t id) const;
  // Adds a node, or changes what one runs.
  void put(const Node& node);
  // Adds a clone of a node that is known, or of a clone: that has its original's clones.
  void clone(uint64_t original, uint64_t id);
  // Forgets the clones of the same original as `id`, but for those that run `function`.
  void forget_clones(uint64_t id, const void* function);
  void forget_all_clones();
  size_t count() const { return count_; }

 private:
  // Of an entry, as its index; 0 = none.
  using Index = uint32_t;
  struct Entry {
    Node node;  // id 0 = free
    Index next_in_bucket, original, first_clone, next_clone;
  };
  static constexpr uint32_t kBuckets = kMost / 2;

  Index& bucket_of(uint64_t id);
  Index index_of(uint64_t id) const;
  Index add(const Node& node);
  void leave_bucket(Index index);
  void remove_clones(Index original, const void* but_for);
  void remove(Index index);

  Entry entries_[kMost + 1] = {};
  Index buckets_[kBuckets] = {};
  Index latest_ = 0;
  size_t count_ = 0;
};

}  // namespace aiflame::agent::cupti
