// SPDX-License-Identifier: MIT
// The colour of a frame: from its name by the rules of a palette, or from what changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace aiflame::svg {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

// What a frame of an AI flame graph is, told by the annotation and the look of its name.
enum class Layer { instruction, device_source, kernel, python, cpp, c, boundary };
inline constexpr int kLayers = 7;
Layer layer_of(std::string_view name);
const char* layer_title(Layer layer);
// The middle of the layer's colours, for the legend.
Colour layer_colour(Layer layer);
// `_[g]` or `_[G]`: only AI flame graphs have such frames.
bool is_device_frame(std::string_view name);

class Palette {
 public:
  // What shades frames of one kind.
  enum class Shade {
    name,       // the sum of the name's characters, as flamegraph.pl does by default
    hash,       // --hash: the name's first characters count most, so namesakes look alike
    scrambled,  // --random: names that look alike do not, yet they are the same on every run
  };

  // flamegraph.pl's palettes (hot mem io wakeup chain java js perl red green blue aqua yellow
  // purple orange) and aiflame; nothing when there is no such palette.
  static std::optional<Palette> find(std::string_view name, Shade shade = Shade::name);
  static const char* names();

  const std::string& name() const { return name_; }
  // A name has this colour from here on, unless it is a boundary's.
  void set(std::string_view frame, Colour colour) { given_[std::string(frame)] = colour; }
  Colour colour(std::string_view frame) const;

 private:
  Palette(std::string_view name, Shade shade) : name_(name), shade_(shade) {}
  std::string_view ramp_of(std::string_view frame) const;

  std::string name_;
  Shade shade_;
  std::unordered_map<std::string, Colour> given_;
};

// White at no change, red the more was added, blue the more went away. `greatest` is the greatest
// change of any frame, at least 1.
Colour difference_colour(uint64_t before, uint64_t after, uint64_t greatest, bool negate);

// The palette `chain` shows who woke whom: annotates each frame behind the first `--` as a waker's.
std::string mark_wakers(std::string_view stack);

}  // namespace aiflame::svg
