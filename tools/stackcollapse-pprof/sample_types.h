// SPDX-License-Identifier: MIT
// Which of a sample's values is drawn, and in which unit (pure).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "libcommon/folded/quantity.h"
#include "tools/stackcollapse-pprof/profile.h"

namespace aiflame::pprof {

struct SampleChoice {
  size_t index = 0;    // of the value
  uint64_t scale = 1;  // of it, to the quantity's unit
  Quantity quantity{};
};

// `name`: the type that the user wants; empty takes the profile's default, or else its last one, as
// `go tool pprof` does. Throws Error.
SampleChoice choose_sample_type(const Profile& profile, std::string_view name);

}  // namespace aiflame::pprof
