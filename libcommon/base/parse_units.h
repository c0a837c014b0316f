// SPDX-License-Identifier: MIT
// Numbers with a unit behind them, as perf's options have them: not 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aiflame {

// "64M": a number with B, K, M or G, powers of 1024. Nothing for other text.
std::optional<uint64_t> parse_bytes(std::string_view text);
// "30s": a number with s, m, h or d, as nanoseconds. Nothing for other text.
std::optional<uint64_t> parse_duration(std::string_view text);

}  // namespace aiflame
