// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/palette.h"

#include <algorithm>
#include <array>
#include <vector>

#include "libcommon/base/utf8.h"
#include "libcommon/folded/folded.h"

namespace aiflame::svg {
namespace {

constexpr Colour kBoundary{200, 200, 200};      // a frame `-`: from one processor to the other
constexpr Colour kWakeBoundary{160, 160, 160};  // a frame `--`: from waker to sleeper

// Base and span of each channel, and which of the three shade values moves it.
struct Ramp {
  const char* name;
  std::array<int, 3> base, span, value;
};
// flamegraph.pl's, and pink, which AI flame graphs added for Python.
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

Colour shaded(std::string_view ramp_name, const std::array<double, 3>& values) {
  const Ramp* ramp = std::find_if(std::begin(kRamps), std::end(kRamps), [&](const Ramp& candidate) {
    return candidate.name == ramp_name;
  });
  const auto channel = [&](size_t i) {
    const double value = values[static_cast<size_t>(ramp->value[i])];
    return static_cast<uint8_t>(ramp->base[i] + static_cast<int>(ramp->span[i] * value));
  };
  return {channel(0), channel(1), channel(2)};
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// One step of drand48(3), whose first value after seeding colours a name.
uint64_t drand48_step(uint64_t state) {
  return (state * 0x5deece66d + 0xb) & ((uint64_t{1} << 48) - 1);
}
double as_fraction(uint64_t state) {
  return static_cast<double>(state) / static_cast<double>(uint64_t{1} << 48);
}

double name_value(std::string_view name) {
  uint32_t sum = 0;
  while (!name.empty()) sum += take_code_point(name);
  return as_fraction(drand48_step((uint64_t{sum} << 16) + 0x330e));
}

// FNV-1a: any character changes all of it.
uint64_t scrambled(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// A value of the first three characters, each counting less than the one before.
template <typename Iterator>
double leading_value(Iterator at, Iterator end) {
  double vector = 0, weight = 1, greatest = 1;
  for (uint32_t modulus = 10; modulus <= 12 && at != end; ++modulus, ++at) {
    vector += static_cast<double>(*at % modulus) / (modulus - 1) * weight;
    greatest += weight;
    weight *= 0.70;
  }
  return 1 - vector / greatest;
}

std::vector<uint32_t> code_points(std::string_view text) {
  std::vector<uint32_t> out;
  while (!text.empty()) out.push_back(take_code_point(text));
  return out;
}

// What follows a module prefix, "libc`": its functions are to look like others of their name.
std::vector<uint32_t> without_module(std::vector<uint32_t> name) {
  if (name.empty()) return name;
  const auto tick = std::find(name.begin() + 1, name.end(), '`');
  if (tick != name.end()) name.erase(name.begin(), tick + 1);
  return name;
}

double hash_value(std::string_view name, bool reversed) {
  std::vector<uint32_t> text = code_points(name);
  if (reversed) std::reverse(text.begin(), text.end());
  text = without_module(std::move(text));
  return leading_value(text.begin(), text.end());
}

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
  if (has(name, ":::")) return "green";  // as perf-map-agent separates class and method
  if (has(name, "::")) return "yellow";
  return name.ends_with("_[k]") ? "orange" : "red";
}

std::string_view perl_ramp(std::string_view name) {
  if (has(name, "::")) return "yellow";
  if (has(name, "Perl") || has(name, ".pl")) return "green";
  return name.ends_with("_[k]") ? "orange" : "red";
}

std::string_view js_ramp(std::string_view name) {
  if (name.ends_with("_[j]")) return has(name, "/") ? "green" : "aqua";
  if (has(name, "::")) return "yellow";
  const size_t slash = name.find('/');
  if (slash != std::string_view::npos && has(name.substr(slash), ".js")) return "green";
  if (has(name, ":")) return "aqua";
  if (name == " ") return "green";  // "missing symbol"
  return has(name, "_[k]") ? "orange" : "red";
}

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
  return has(name, "::") ? Layer::cpp : Layer::c;
}

const char* layer_title(Layer layer) {
  return kLayerTable[static_cast<int>(layer)].title;
}

Colour layer_colour(Layer layer) {
  if (layer == Layer::boundary) return kBoundary;
  return shaded(kLayerTable[static_cast<int>(layer)].ramp, {0.5, 0.5, 0.5});
}

const char* Palette::names() {
  return "hot, mem, io, wakeup, chain, java, js, perl, red, green, blue, aqua, yellow, purple, "
         "orange, aiflame";
}

std::optional<Palette> Palette::find(std::string_view name, Shade shade) {
  for (const char* special : {"wakeup", "chain", "java", "js", "perl", "aiflame"})
    if (name == special) return Palette(name, shade);
  for (const Ramp& ramp : kRamps)
    if (name == ramp.name && name != "pink") return Palette(name, shade);
  return std::nullopt;
}

std::string_view Palette::ramp_of(std::string_view frame) const {
  if (name_ == "aiflame") return kLayerTable[static_cast<int>(layer_of(frame))].ramp;
  if (name_ == "java") return java_ramp(frame);
  if (name_ == "perl") return perl_ramp(frame);
  if (name_ == "js") return js_ramp(frame);
  if (name_ == "wakeup") return "aqua";
  if (name_ == "chain") return has(frame, "_[w]") ? "aqua" : "blue";
  return name_;
}

Colour Palette::colour(std::string_view frame) const {
  if (frame == "-") return kBoundary;
  if (frame == "--") return kWakeBoundary;
  if (!given_.empty())
    if (const auto found = given_.find(std::string(frame)); found != given_.end())
      return found->second;
  std::array<double, 3> values{};
  switch (shade_) {
    case Shade::name:
      values.fill(name_value(frame));
      break;
    case Shade::hash:
      values[0] = hash_value(frame, false);
      values[1] = values[2] = hash_value(frame, true);
      break;
    case Shade::scrambled:
      uint64_t state = scrambled(frame);
      for (double& value : values) {
        state = drand48_step(state);
        value = as_fraction(state);
      }
      break;
  }
  return shaded(ramp_of(frame), values);
}

Colour difference_colour(uint64_t before, uint64_t after, uint64_t greatest, bool negate) {
  if (before == after) return {255, 255, 255};
  const uint64_t change = before < after ? after - before : before - after;
  const double rest = static_cast<double>(greatest - std::min(change, greatest));
  const auto pale = static_cast<uint8_t>(210 * rest / static_cast<double>(greatest));
  if ((before < after) != negate) return {255, pale, pale};
  return {pale, pale, 255};
}

std::string mark_wakers(std::string_view stack) {
  std::string out;
  bool behind = false;
  for (;;) {
    const size_t semicolon = stack.find(';');
    const std::string_view frame = stack.substr(0, semicolon);
    out += frame;
    if (behind && frame != "--") out += "_[w]";
    // the first frame is the sleeper's even if it is called `--`
    if (!out.empty() && frame == "--" && out.size() > frame.size()) behind = true;
    if (semicolon == std::string_view::npos) return out;
    out += ';';
    stack.remove_prefix(semicolon + 1);
  }
}

}  // namespace aiflame::svg
