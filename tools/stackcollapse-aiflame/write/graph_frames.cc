// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/graph_frames.h"

#include <algorithm>

#include "libcommon/base/program.h"

namespace aiflame::collapse {

GraphFrames parse_graph_frames(const std::string& list) {
  GraphFrames out{false, false};
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string word = list.substr(begin, end - begin);
    if (word == "capture")
      out.capture = true;
    else if (word == "replay")
      out.replay = true;
    else
      throw UsageError("option '--graph-frames': '" + word + "' is neither capture nor replay");
    begin = end + 1;
  }
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
