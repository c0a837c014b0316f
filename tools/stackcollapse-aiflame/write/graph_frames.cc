// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/graph_frames.h"

#include <algorithm>
#include <string_view>

#include "libcommon/base/choices.h"

namespace aiflame::collapse {

GraphFrames parse_graph_frames(const std::string& list) {
  constexpr std::string_view kStacks[] = {"capture", "replay"};
  GraphFrames out{false, false};
  for (const size_t chosen : parse_choices("graph-frames", list, kStacks))
    (chosen == 0 ? out.capture : out.replay) = true;
  return out;
}

GraphStacks::GraphStacks(TextTable& texts, GraphFrames drawn)
    : drawn_(drawn), marks_{texts.number("[cuda graph]"), texts.number("[command list]")} {}

void GraphStacks::choose(std::vector<uint32_t>& frames, size_t begin) const {
  if (drawn_.capture && drawn_.replay) return;
  const auto first = frames.begin() + static_cast<ptrdiff_t>(begin);
  const auto mark = std::find_first_of(first, frames.end(), marks_.begin(), marks_.end());
  if (mark == frames.end()) return;
  if (drawn_.replay)
    frames.erase(mark + 1, frames.end());
  else
    frames.erase(first, mark);
}

}  // namespace aiflame::collapse
