// SPDX-License-Identifier: MIT
// The mappings of a process or of the kernel (pure). A copy, made for a fork, shares the mappings
// with its original; each stores its later changes separately. So a thousand children of a process
// with a thousand mappings do not take a million.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

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
  // Replaces what it overlaps, as mmap(2) does. Throws Error if there are too many.
  void insert(const PerfMap& map);
  // Removes the mapping that starts there; not one that is shared with a copy.
  void erase(uint64_t start);
  // Valid until the next change.
  const PerfMap* find(uint64_t address) const;
  bool empty() const { return base_->empty() && (changes_ == nullptr || changes_->empty()); }
  // Number of mappings held in memory, shared ones divided by the number of sharers.
  size_t held() const;

 private:
  using Table = std::map<uint64_t, PerfMap>;  // by start
  static void insert(Table& table, const PerfMap& map);
  static const PerfMap* find(const Table& table, uint64_t address);

  // changes_ is searched before base_, so that a change hides what it replaces.
  std::shared_ptr<Table> base_ = std::make_shared<Table>();
  std::shared_ptr<Table> changes_;
};

}  // namespace aiflame
