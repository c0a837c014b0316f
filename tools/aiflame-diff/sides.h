// SPDX-License-Identifier: MIT
// The two sides of a comparison, BEFORE and AFTER.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace aiflame::diff {

inline constexpr size_t kSides = 2;
// A value for BEFORE and one for AFTER.
using Pair = std::array<uint64_t, kSides>;
// The files of each side.
using Paths = std::array<std::vector<std::string>, kSides>;

}  // namespace aiflame::diff
