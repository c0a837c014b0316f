// SPDX-License-Identifier: MIT
// The numbers of a Chrome trace (pure).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aiflame::trace {

// Microseconds as nanoseconds, exactly as far as a nanosecond goes: "1120.007", "1.12e3", "-5".
// Digits after the nanosecond are rounded.
std::optional<int64_t> parse_microseconds(std::string_view text);

// A number that identifies something: "305", "0x131". -1, null and what is no number are
// Event::kNone.
uint64_t parse_id(std::string_view text);
// As parse_id(); another text is a number of its own.
uint64_t parse_flow_id(std::string_view text);

}  // namespace aiflame::trace
