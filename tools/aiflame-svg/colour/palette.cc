// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/palette.h"

#include "libcommon/text/text_match.h"
#include "tools/aiflame-svg/colour/layer.h"
#include "tools/aiflame-svg/colour/ramp.h"

namespace aiflame::svg {
namespace {

constexpr Colour kWakeBoundary{160, 160, 160};  // a frame `--`: from waker to sleeper

bool is_java_package(std::string_view name) {
  if (name.starts_with("L")) name.remove_prefix(1);
  for (const char* package : {"java/", "javax/", "jdk/", "net/", "org/", "com/", "io/", "sun/"})
    if (name.starts_with(package)) return true;
  return false;
}

std::string_view java_ramp(std::string_view name) {
  if (name.ends_with("_[j]")) return "green";
  if (name.ends_with("_[i]")) return "aqua";
  if (is_java_package(name)) return "green";
  if (contains(name, ":::")) return "green";  // perf-map-agent's separator of class and method
  if (contains(name, "::")) return "yellow";
  return name.ends_with("_[k]") ? "orange" : "red";
}

std::string_view perl_ramp(std::string_view name) {
  if (contains(name, "::")) return "yellow";
  if (contains(name, "Perl") || contains(name, ".pl")) return "green";
  return name.ends_with("_[k]") ? "orange" : "red";
}

std::string_view js_ramp(std::string_view name) {
  if (name.ends_with("_[j]")) return contains(name, "/") ? "green" : "aqua";
  if (contains(name, "::")) return "yellow";
  const size_t slash = name.find('/');
  if (slash != std::string_view::npos && contains(name.substr(slash), ".js")) return "green";
  if (contains(name, ":")) return "aqua";
  if (name == " ") return "green";  // "missing symbol"
  return contains(name, "_[k]") ? "orange" : "red";
}

}  // namespace

const char* Palette::names() {
  return "hot, mem, io, wakeup, chain, java, js, perl, red, green, blue, aqua, yellow, purple, "
         "orange, aiflame";
}

std::optional<Palette> Palette::find(std::string_view name, Shade shade) {
  for (const char* special : {"wakeup", "chain", "java", "js", "perl", "aiflame"})
    if (name == special) return Palette(name, shade);
  // the ramp pink is only a layer's
  if (is_ramp(name) && name != "pink") return Palette(name, shade);
  return std::nullopt;
}

std::string_view Palette::ramp_of(std::string_view frame) const {
  if (name_ == "aiflame") return layer_ramp(layer_of(frame));
  if (name_ == "java") return java_ramp(frame);
  if (name_ == "perl") return perl_ramp(frame);
  if (name_ == "js") return js_ramp(frame);
  if (name_ == "wakeup") return "aqua";
  if (name_ == "chain") return contains(frame, "_[w]") ? "aqua" : "blue";
  return name_;
}

Colour Palette::flat_colour(std::string_view frame) const {
  const auto reason = reasons_.find(frame);
  const Layer layer = layer_of(frame);
  if (layer == Layer::idle) return idle_colour(frame);
  const Colour colour =
      reason == reasons_.end() ? layer_colour(layer) : reason_colour(category_of(reason->second));
  return varied(colour, shade_values(frame, shade_)[0]);
}

Colour Palette::colour(std::string_view frame) const {
  const bool flat = name_ == "aiflame" && !classic_;
  if (frame == "-") return flat ? kHatchedBoundary : kBoundaryColour;
  if (frame == "--") return kWakeBoundary;
  if (!given_.empty())
    if (const auto found = given_.find(std::string(frame)); found != given_.end())
      return found->second;
  if (flat) return flat_colour(frame);
  return ramp_colour(ramp_of(frame), shade_values(frame, shade_));
}

}  // namespace aiflame::svg
