// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/background.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "tools/aiflame-svg/colour/colour.h"

namespace aiflame::svg {
namespace {

constexpr struct {
  const char* name;
  const char* top;
  const char* bottom;
} kBackgrounds[] = {
    {"yellow", "#eeeeee", "#eeeeb0"},
    {"blue", "#eeeeee", "#e0e0ff"},
    {"green", "#eef2ee", "#e0ffe0"},
    {"grey", "#f8f8f8", "#e8e8e8"},
};

bool is_colour_code(const std::string& text) {
  return text.size() == 7 && text[0] == '#' &&
         std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

}  // namespace

std::optional<Background> find_background(const std::string& name) {
  for (const auto& background : kBackgrounds)
    if (name == background.name) return Background{background.top, background.bottom};
  if (!is_colour_code(name)) return std::nullopt;
  return Background{name, name};
}

bool is_dark(const Background& background) {
  const auto colour = [](const std::string& code) {
    const auto channel = [&](size_t at) {
      return static_cast<uint8_t>(std::stoul(code.substr(at, 2), nullptr, 16));
    };
    return Colour{channel(1), channel(3), channel(5)};
  };
  return is_dark(colour(background.top)) || is_dark(colour(background.bottom));
}

const char* background_of_palette(const std::string& palette) {
  const auto is_one_of = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), palette) != names.end();
  };
  if (palette == "mem") return "green";
  if (is_one_of({"io", "wakeup", "chain"})) return "blue";
  if (is_one_of({"red", "green", "blue", "aqua", "yellow", "purple", "orange"})) return "grey";
  return "yellow";
}

}  // namespace aiflame::svg
