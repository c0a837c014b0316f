// SPDX-License-Identifier: MIT
// A stack of events that hold each other: of those that are deeper than the first 500, the
// innermost alone is drawn, on [truncated] where others are between.
#pragma once

#include <cstdint>

#include "libcommon/import/imported_stacks.h"

namespace aiflame::xplane {

inline constexpr uint32_t kDeepest = 500;
// What becomes of such stacks, in words.
inline constexpr const char* kDeeper = "on stacks of more than 500 events";

struct DeepStack {
  uint32_t stack = ImportedStacks::kEmpty;
  uint32_t base = ImportedStacks::kEmpty;  // what the next event stands on
  uint32_t depth = 0;

  bool is_truncated() const { return depth > kDeepest + 1; }
  DeepStack on_top(uint32_t frame, ImportedStacks& stacks) const {
    const uint32_t next = stacks.child(base, frame);
    return {next,
            depth < kDeepest    ? next
            : depth == kDeepest ? stacks.child(base, kTruncated)
                                : base,
            depth + 1};
  }
};

}  // namespace aiflame::xplane
