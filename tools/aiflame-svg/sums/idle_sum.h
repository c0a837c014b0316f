// SPDX-License-Identifier: MIT
// How long the devices of a profile were idle, and the cause that took most of that.
#pragma once

#include <cstdint>

#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

struct IdleSum {
  uint64_t total = 0;
  // A frame directly on top of `[gpu idle]`: its name in the tree, and its count, or 0.
  uint32_t cause = 0;
  uint64_t of_cause = 0;
};

IdleSum sum_idle(const FlameTree& tree);

}  // namespace aiflame::svg
