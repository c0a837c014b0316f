// SPDX-License-Identifier: MIT
// The layers of an AI flame graph: what kind of code a frame is, by its annotation and its name.
#pragma once

#include <string_view>

#include "libcommon/code/stall_reasons.h"
#include "tools/aiflame-svg/colour/colour.h"

namespace aiflame::svg {

enum class Layer {
  instruction,
  offset,
  device_source,
  kernel,
  framework_operator,  // aten::mm_[o]
  model_module,        // Linear_3_[m]
  marked_range,        // that the program marked: forward_[r]
  python,
  cpp,
  c,
  idle,  // [gpu idle], and the cause on it
  boundary
};
inline constexpr int kLayers = 12;
inline constexpr Colour kBoundaryColour{200, 200, 200};
// The ground of the hatching of an AI flame graph's boundary, and its stripes.
inline constexpr Colour kHatchedBoundary{0xd3, 0xd7, 0xdd}, kBoundaryStripe{0xbc, 0xc2, 0xcc};

// A stall reason looks like an instruction: colour/reason_names.h tells them apart.
Layer layer_of(std::string_view name);
const char* layer_title(Layer layer);
// Of a device, an operator, module or range, or idle time: only AI flame graphs have such frames.
bool is_ai_frame(std::string_view name);
// `0x448_[g]`, or what an instruction waits for, which is a detail of the instruction below it.
bool is_offset_frame(std::string_view name);

// The flat colours of an AI flame graph. The layers are pale and have black text, so that only what
// stalls stands out, in strong colours with white text.
Colour layer_colour(Layer layer);
Colour reason_colour(StallReason::Category category);
// Shades of the layer's colour: that of a cause of idle time, lighter from cause to cause.
Colour idle_colour(std::string_view frame);
// Tells neighbours apart: up to 4 % lighter or darker, by a value from 0 to less than 1.
Colour varied(Colour colour, double value);

// The ramp that the layer's frames are coloured from with --classic; empty for the boundary.
std::string_view layer_ramp(Layer layer);
// The middle of that ramp, for the legend.
Colour ramp_middle(Layer layer);

}  // namespace aiflame::svg
