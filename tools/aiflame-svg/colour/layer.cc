// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/layer.h"

#include "libcommon/device/reason_colours.h"
#include "libcommon/folded/device_match.h"
#include "libcommon/folded/folded.h"
#include "libcommon/timeline/idle_causes.h"
#include "tools/aiflame-svg/colour/ramp.h"

namespace aiflame::svg {
namespace {

constexpr struct {
  const char* title;
  Colour colour;
  const char* ramp;
} kLayerTable[kLayers] = {
    {"instructions", {0xa9, 0xdb, 0x9b}, "green"}, {"offsets", {0xdc, 0xef, 0xd6}, "green"},
    {"device source", {0x8c, 0xcf, 0xd6}, "aqua"}, {"OS kernel", {0xf0, 0xc4, 0x8a}, "orange"},
    {"operators", {0xcb, 0xb0, 0xf5}, "purple"},   {"modules", {0xa3, 0xc4, 0xf7}, "blue"},
    {"ranges", {0xc2, 0xba, 0x9c}, "mem"},         {"Python", {0xef, 0xba, 0xd3}, "pink"},
    {"C++", {0xea, 0xd9, 0x8f}, "yellow"},         {"C and other", {0xed, 0xb8, 0xae}, "red"},
    {"idle, and why", {0x5d, 0x4c, 0x40}, "mem"},  {"boundary", kHatchedBoundary, ""},
};

// By cause, in their order. Dark as what is measured, and browner than any stall reason.
constexpr Colour kIdleColours[kIdleCauses] = {
    {0x66, 0x55, 0x46}, {0x6b, 0x5a, 0x3f}, {0x73, 0x5a, 0x55}, {0x78, 0x66, 0x4a},
    {0x80, 0x6d, 0x5a}, {0x6f, 0x61, 0x4b}, {0x7c, 0x6f, 0x66},
};

}  // namespace

bool is_ai_frame(std::string_view name) {
  if (is_idle_frame(name)) return true;
  const std::string_view kind = annotation(name);
  return !kind.empty() && std::string_view("gGomr").find(kind[2]) != std::string_view::npos;
}

bool is_offset_frame(std::string_view name) {
  if (!name.ends_with("_[g]")) return false;
  const std::string_view text = without_annotation(name);
  return text.starts_with(kWaitsFor) || is_offset(text);
}

Layer layer_of(std::string_view name) {
  if (name == "-" || name == "--") return Layer::boundary;
  if (name.ends_with("_[g]")) return is_offset_frame(name) ? Layer::offset : Layer::instruction;
  if (name.ends_with("_[G]")) return Layer::device_source;
  if (name.ends_with("_[k]")) return Layer::kernel;
  if (name.ends_with("_[o]")) return Layer::framework_operator;
  if (name.ends_with("_[m]")) return Layer::model_module;
  if (name.ends_with("_[r]")) return Layer::marked_range;
  if (name.starts_with("py::")) return Layer::python;
  if (is_idle_frame(name)) return Layer::idle;
  return name.find("::") != std::string_view::npos ? Layer::cpp : Layer::c;
}

const char* layer_title(Layer layer) {
  return kLayerTable[static_cast<int>(layer)].title;
}

Colour layer_colour(Layer layer) {
  return kLayerTable[static_cast<int>(layer)].colour;
}

Colour reason_colour(StallReason::Category category) {
  const auto [red, green, blue] = colour_of_reasons(category);
  return {red, green, blue};
}

Colour idle_colour(std::string_view frame) {
  const auto cause = find_idle_cause(frame);
  return cause ? kIdleColours[static_cast<size_t>(*cause)] : layer_colour(Layer::idle);
}

Colour varied(Colour colour, double value) {
  const double change = (value - 0.5) * 0.08;  // towards white, or below 0 towards black
  const auto channel = [&](uint8_t old) {
    return static_cast<uint8_t>(old + (change > 0 ? (255 - old) * change : old * change));
  };
  return {channel(colour.red), channel(colour.green), channel(colour.blue)};
}

std::string_view layer_ramp(Layer layer) {
  return kLayerTable[static_cast<int>(layer)].ramp;
}

Colour ramp_middle(Layer layer) {
  if (layer == Layer::boundary) return kBoundaryColour;
  return ramp_colour(layer_ramp(layer), {0.5, 0.5, 0.5});
}

}  // namespace aiflame::svg
