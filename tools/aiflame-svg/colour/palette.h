// SPDX-License-Identifier: MIT
// The colour of a frame: from its name, by the rules of a palette.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tools/aiflame-svg/colour/colour.h"
#include "tools/aiflame-svg/colour/reason_names.h"
#include "tools/aiflame-svg/colour/shade.h"

namespace aiflame::svg {

class Palette {
 public:
  // flamegraph.pl's palettes (hot mem io wakeup chain java js perl red green blue aqua yellow
  // purple orange) and aiflame; nothing when no palette has the name.
  static std::optional<Palette> find(std::string_view name, Shade shade = Shade::name);
  static const char* names();

  const std::string& name() const { return name_; }
  // Colours the layers of `aiflame` as before they were pale: from flamegraph.pl's ramps, and
  // reasons like instructions.
  void make_classic() { classic_ = true; }
  bool classic() const { return classic_; }
  // The names of the tree that are stall reasons.
  void set_reasons(ReasonNames reasons) { reasons_ = std::move(reasons); }
  const ReasonNames& reasons() const { return reasons_; }
  // Gives a frame's name a fixed colour. A boundary keeps its own.
  void set(std::string_view frame, Colour colour) { given_[std::string(frame)] = colour; }
  Colour colour(std::string_view frame) const;

 private:
  Palette(std::string_view name, Shade shade) : name_(name), shade_(shade) {}
  std::string_view ramp_of(std::string_view frame) const;
  Colour flat_colour(std::string_view frame) const;

  std::string name_;
  Shade shade_;
  bool classic_ = false;
  ReasonNames reasons_;
  std::unordered_map<std::string, Colour> given_;
};

}  // namespace aiflame::svg
