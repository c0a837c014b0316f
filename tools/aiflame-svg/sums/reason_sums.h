// SPDX-License-Identifier: MIT
// The samples of a tree by the kind of stall reason that they have.
#pragma once

#include <array>
#include <cstdint>

#include "tools/aiflame-svg/colour/reason_names.h"

namespace aiflame::svg {

// The count of a node without its children. Most nodes have none, and need no sum.
uint64_t own_count(const FlameTree& tree, uint32_t node);

struct ReasonSums {
  std::array<uint64_t, StallReason::kCategories> of{};  // by category
  uint64_t hidden = 0;                                  // of `other`: another thread was served

  uint64_t all() const;
  // Without work, and without what others hide.
  uint64_t stalls() const;
};

// A sample has the reason that is nearest to it in its stack.
ReasonSums sum_reasons(const FlameTree& tree, const ReasonNames& reasons);

// Whether some of the reasons are no stalls: work, or what others hide.
bool has_work(const ReasonNames& reasons);

}  // namespace aiflame::svg
