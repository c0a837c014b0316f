// SPDX-License-Identifier: MIT
// The frame that `stackcollapse-aiflame --by-time` puts in front of a stack: a slice of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aiflame {

// The frame of samples without a time.
inline constexpr std::string_view kUnknownSlice = "[unknown time]";
// The start of a slice in nanoseconds, from its frame: seconds with three or more decimals. Nothing
// for another text.
std::optional<uint64_t> slice_start(std::string_view frame);
// Whether a frame is a slice, known or not.
bool is_slice(std::string_view frame);

}  // namespace aiflame
