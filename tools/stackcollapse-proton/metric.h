// SPDX-License-Identifier: MIT
// Proton's metrics: which one is drawn, and what its values count (pure).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/folded/quantity.h"

namespace aiflame::proton {

class Metric {
 public:
  // A metric's name without its unit, in any case, as proton-viewer takes it: "time" for
  // "time (ns)". "stalled" is all of stalled_long_scoreboard, stalled_wait and so on.
  explicit Metric(std::string_view name);

  const std::string& name() const { return name_; }
  bool is_stalled() const { return name_ == "stalled"; }
  // Whether the values of a key belong to this metric.
  bool has(std::string_view key) const;
  // Whether a value contains the values of the frames below it: of a scope from its begin to its
  // end. Others are of a frame by itself.
  bool is_nested() const;
  // What the values under a key count.
  Quantity quantity(std::string_view key) const;

 private:
  std::string name_;
};

// The reason that a key counts, by the name that the reports know: "stalled_not_Selected" is
// not_selected. Nothing for another key.
std::optional<std::string> reason_of_key(std::string_view key);

// A number of JSON as a whole number.
struct WholeNumber {
  uint64_t value = 0;    // rounded half up
  bool is_exact = true;  // nothing was rounded
};
// Nothing if it is negative, or 2^64 or more.
std::optional<WholeNumber> parse_whole(std::string_view number);

}  // namespace aiflame::proton
