// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/layer.h"

#include "tools/aiflame-svg/colour/ramp.h"

namespace aiflame::svg {
namespace {

constexpr struct {
  const char* ramp;
  const char* title;
} kLayerTable[kLayers] = {
    {"green", "instructions"}, {"aqua", "device source"}, {"orange", "OS kernel"},
    {"pink", "Python"},        {"yellow", "C++"},         {"red", "C and other"},
    {"", "boundary"},
};

}  // namespace

bool is_device_frame(std::string_view name) {
  return name.ends_with("_[g]") || name.ends_with("_[G]");
}

Layer layer_of(std::string_view name) {
  if (name == "-" || name == "--") return Layer::boundary;
  if (name.ends_with("_[g]")) return Layer::instruction;
  if (name.ends_with("_[G]")) return Layer::device_source;
  if (name.ends_with("_[k]")) return Layer::kernel;
  if (name.starts_with("py::")) return Layer::python;
  return name.find("::") != std::string_view::npos ? Layer::cpp : Layer::c;
}

const char* layer_title(Layer layer) {
  return kLayerTable[static_cast<int>(layer)].title;
}

std::string_view layer_ramp(Layer layer) {
  return kLayerTable[static_cast<int>(layer)].ramp;
}

Colour layer_colour(Layer layer) {
  if (layer == Layer::boundary) return kBoundaryColour;
  return ramp_colour(layer_ramp(layer), {0.5, 0.5, 0.5});
}

}  // namespace aiflame::svg
