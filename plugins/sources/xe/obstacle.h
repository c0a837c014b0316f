// SPDX-License-Identifier: MIT
// Why a GPU cannot be sampled, in words, and the command that mends it.
#pragma once

#include <string>
#include <vector>

#include "plugins/sources/xe/render_node.h"

namespace aiflame::source::xe {

// There is no GPU of the xe driver among `nodes`.
std::string no_gpu_obstacle(const std::vector<RenderNode>& nodes);
// A render node cannot be opened.
std::string open_obstacle(const RenderNode& node, int error);
// It is another driver's.
std::string driver_obstacle(const RenderNode& node, const std::string& driver);
// The driver tells nothing of a sampler; `error` is 0 when it says so itself.
std::string sampler_obstacle(int error);
// It opens no stream, or does not start it.
std::string stream_obstacle(int error);

}  // namespace aiflame::source::xe
