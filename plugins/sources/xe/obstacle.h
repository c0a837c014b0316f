// SPDX-License-Identifier: MIT
// Why a GPU cannot be sampled, and the command that helps.
#pragma once

#include <string>
#include <vector>

#include "plugins/sources/xe/render_node.h"

namespace aiflame::source::xe {

// No GPU among `nodes` has the xe driver.
std::string no_gpu_obstacle(const std::vector<RenderNode>& nodes);
// A render node cannot be opened.
std::string open_obstacle(const RenderNode& node, int error);
// It belongs to another driver.
std::string driver_obstacle(const RenderNode& node, const std::string& driver);
// The driver's query for the sampler failed with `error`; 0 = it answered that there is none.
std::string sampler_obstacle(int error);
// It did not open or start a stream.
std::string stream_obstacle(int error);

}  // namespace aiflame::source::xe
