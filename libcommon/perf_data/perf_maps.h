// SPDX-License-Identifier: MIT
// What is mapped where, of a process or of the kernel (pure). A copy, as a fork makes one, shares
// everything with its original; either keeps apart what it maps from then on, so that a thousand
// children of a process with a thousand mappings do not have a million.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace aiflame {

struct PerfMap {
  uint64_t start = 0, end = 0;
  uint64_t offset = 0;  // of the start in the object
  uint32_t object = 0;
  bool identity = false;  // the object's addresses are the process's

  uint64_t inside(uint64_t address) const { return identity ? address : address - start + offset; }
};

class PerfMaps {
 public:
  // Replaces what it overlaps, as the kernel has it. Throws Error where there are too many.
  void insert(const PerfMap& map);
  // The mapping that starts there, and was not copied.
  void erase(uint64_t start);
  // Valid until the next change.
  const PerfMap* find(uint64_t address) const;
  bool empty() const { return base_->empty() && (changes_ == nullptr || changes_->empty()); }
  // Its share of the mappings held in memory.
  size_t held() const;

 private:
  using Table = std::map<uint64_t, PerfMap>;  // by start
  static void insert(Table& table, const PerfMap& map);
  static const PerfMap* find(const Table& table, uint64_t address);

  // What changes_ has is found first: that is all there is to replacing a part of base_.
  std::shared_ptr<Table> base_ = std::make_shared<Table>();
  std::shared_ptr<Table> changes_;
};

}  // namespace aiflame
