// SPDX-License-Identifier: MIT
// The two counts of a frame of a differential, and what they are shares of, in the order of time.
#pragma once

#include <cstdint>

#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// Percent.
double share(uint64_t part, uint64_t whole);

struct Sides {
  uint64_t before, after, all_before, all_after;

  // The change of its share of all, in points. It does not depend on how long each side was
  // measured, so what did not change seems to have grown where all became less.
  double points() const { return share(after, all_after) - share(before, all_before); }
  // The change, in percent of all before.
  double growth() const {
    const uint64_t whole = all_before > 0 ? all_before : all_after;
    return share(after, whole) - share(before, whole);
  }
};

// `total` is what the whole width stands for. With --negate, the second count is the earlier one.
Sides sides_of(const FlameTree& tree, uint32_t node, const Drawing& drawing, uint64_t total,
               bool with_descendants);

// The counts of frames that one side lacks.
struct OneSided {
  uint64_t before = 0, after = 0;  // only there
};
OneSided one_sided(const FlameTree& tree, const Drawing& drawing);

}  // namespace aiflame::svg
