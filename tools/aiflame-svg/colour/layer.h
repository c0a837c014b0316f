// SPDX-License-Identifier: MIT
// The layers of an AI flame graph: what kind of code a frame is, by its annotation and its name.
#pragma once

#include <string_view>

#include "tools/aiflame-svg/colour/colour.h"

namespace aiflame::svg {

enum class Layer { instruction, device_source, kernel, python, cpp, c, boundary };
inline constexpr int kLayers = 7;
inline constexpr Colour kBoundaryColour{200, 200, 200};

Layer layer_of(std::string_view name);
const char* layer_title(Layer layer);
// The ramp that its frames are coloured from; empty for the boundary.
std::string_view layer_ramp(Layer layer);
// The middle of the layer's ramp, for the legend.
Colour layer_colour(Layer layer);
// `_[g]` or `_[G]`: only AI flame graphs have such frames.
bool is_device_frame(std::string_view name);

}  // namespace aiflame::svg
