// SPDX-License-Identifier: MIT
// The mappings of a process or of the kernel (pure). A copy, made for a fork, shares the mappings
// with its original; an insertion into either copies the few nodes on its path in the tree. So a
// thousand children of a process with a thousand mappings do not take a million, and a hostile
// recording of forks cannot make each of them copy a large table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace aiflame {

struct PerfMap {
  uint64_t start = 0, end = 0;
  uint64_t offset = 0;  // of `start`, in the object
  uint32_t object = 0;
  bool identity = false;  // addresses in the object are those of the process

  uint64_t inside(uint64_t address) const { return identity ? address : address - start + offset; }
};

class PerfMaps {
 public:
  // Replaces what it overlaps, as mmap(2) does. Throws Error if there are too many mappings in all
  // processes.
  void insert(const PerfMap& map);
  // Removes the mapping that starts there.
  void erase(uint64_t start);
  // Valid until the next change.
  const PerfMap* find(uint64_t address) const;
  bool empty() const { return root_ == nullptr; }
  // Number of mappings in memory, of all objects of this class together.
  static size_t held();

 private:
  // A treap: a binary tree by `start`, and a heap by a random rank, which keeps it flat whatever
  // the order of the insertions. A node with several owners is never changed.
  struct Node;
  using Link = std::shared_ptr<Node>;
  static Link make(const PerfMap& map);
  static Node& own(Link& link);
  static std::pair<Link, Link> split(Link tree, uint64_t start);
  static Link join(Link low, Link high);
  static Node* own_last(Link& tree);

  Link root_;
};

}  // namespace aiflame
