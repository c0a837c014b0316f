// SPDX-License-Identifier: MIT
// --graph-frames: a kernel of a graph or a command list stands on two stacks, as gpustall(5) has
// them. Root first, that is the launch of the whole, the mark, and the capture of the kernel:
//
//   app;main;cudaGraphLaunch;[cuda graph];forward;attend;-;softmax_[G]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/text/text_table.h"

namespace aiflame::collapse {

struct GraphFrames {
  bool capture = true, replay = true;
};
// Throws UsageError as parse_choices() does.
GraphFrames parse_graph_frames(const std::string& list);

class GraphStacks {
 public:
  GraphStacks(TextTable& texts, GraphFrames drawn);

  // Leaves one of both stacks out of frames[begin...], numbers of texts, if only one is drawn.
  // Stacks without a mark stay as they are.
  void choose(std::vector<uint32_t>& frames, size_t begin) const;

 private:
  const GraphFrames drawn_;
  const std::vector<uint32_t> marks_;
};

}  // namespace aiflame::collapse
