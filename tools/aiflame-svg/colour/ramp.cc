// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/ramp.h"

#include <algorithm>

namespace aiflame::svg {
namespace {

// The base and span of each channel, and which of the three shade values moves it.
struct Ramp {
  const char* name;
  std::array<int, 3> base, span, value;
};
// flamegraph.pl's ramps, and pink, which AI flame graphs added for Python.
constexpr Ramp kRamps[] = {
    {"hot", {205, 0, 0}, {50, 230, 55}, {2, 0, 1}},
    {"mem", {0, 190, 0}, {0, 50, 210}, {0, 1, 0}},
    {"io", {80, 80, 190}, {60, 60, 55}, {0, 0, 1}},
    {"red", {200, 50, 50}, {55, 80, 80}, {0, 0, 0}},
    {"green", {50, 200, 50}, {60, 55, 60}, {0, 0, 0}},
    {"blue", {80, 80, 205}, {60, 60, 50}, {0, 0, 0}},
    {"yellow", {175, 175, 50}, {55, 55, 20}, {0, 0, 0}},
    {"purple", {190, 80, 190}, {65, 60, 65}, {0, 0, 0}},
    {"aqua", {50, 165, 165}, {60, 55, 55}, {0, 0, 0}},
    {"orange", {190, 90, 0}, {65, 65, 0}, {0, 0, 0}},
    {"pink", {245, 138, 148}, {10, 40, 40}, {0, 0, 0}},
};

const Ramp* find_ramp(std::string_view name) {
  return std::find_if(std::begin(kRamps), std::end(kRamps),
                      [&](const Ramp& candidate) { return candidate.name == name; });
}

}  // namespace

bool is_ramp(std::string_view name) {
  return find_ramp(name) != std::end(kRamps);
}

Colour ramp_colour(std::string_view ramp_name, const std::array<double, 3>& values) {
  const Ramp* ramp = find_ramp(ramp_name);
  const auto channel = [&](size_t i) {
    const double value = values[static_cast<size_t>(ramp->value[i])];
    return static_cast<uint8_t>(ramp->base[i] + static_cast<int>(ramp->span[i] * value));
  };
  return {channel(0), channel(1), channel(2)};
}

}  // namespace aiflame::svg
