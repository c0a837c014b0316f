// SPDX-License-Identifier: MIT
// What the input says about the noise of a difference, frame by frame: which changes are beyond it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "libcommon/folded/frame_change.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

struct Drawing;

class ChangeMarks {
 public:
  ChangeMarks() = default;
  // Passes over what does not fit the tree: its counts are then of another text, or of a part of
  // it.
  ChangeMarks(const FlameTree& tree, unsigned decimals, const FrameChanges& changes);

  bool empty() const { return marks_.empty(); }
  // Null where nothing is known.
  const FrameChange* find(uint32_t node) const;
  bool is_noise(uint32_t node) const;
  // "within noise: -278 to +86 samples"; empty where nothing is known.
  std::string text(uint32_t node, const Drawing& drawing) const;
  // For the page, which shows the texts; empty when there are none.
  std::string element(const Drawing& drawing) const;

 private:
  std::unordered_map<uint32_t, FrameChange> marks_;
};

}  // namespace aiflame::svg
