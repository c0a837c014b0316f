// SPDX-License-Identifier: MIT
// A part of a budget that is given back when its owner goes.
#pragma once

#include <cstdint>
#include <utility>

#include "tools/gpustall-record/budget/budgets.h"

namespace aiflame::record {

class BudgetShare {
 public:
  BudgetShare() = default;
  // `bytes` of `kind` that have been taken for process `pid`.
  BudgetShare(Budgets& from, Kept kind, uint32_t pid, uint64_t bytes)
      : from_(&from), kind_(kind), pid_(pid), bytes_(bytes) {}
  ~BudgetShare() {
    if (from_ != nullptr) from_->give_back(kind_, pid_, bytes_);
  }
  BudgetShare(BudgetShare&& other) noexcept { swap(other); }
  BudgetShare& operator=(BudgetShare&& other) noexcept {
    swap(other);
    return *this;
  }
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;

 private:
  void swap(BudgetShare& other) {
    std::swap(from_, other.from_);
    std::swap(kind_, other.kind_);
    std::swap(pid_, other.pid_);
    std::swap(bytes_, other.bytes_);
  }

  Budgets* from_ = nullptr;
  Kept kind_{};
  uint32_t pid_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace aiflame::record
