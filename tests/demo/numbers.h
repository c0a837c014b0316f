// SPDX-License-Identifier: MIT
// Parses the numbers on command lines.
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace demo {

// Accepts 1 to `most`; otherwise throws std::invalid_argument.
inline uint64_t parse_number(std::string_view option, std::string_view text, uint64_t most) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > most)
    throw std::invalid_argument(std::string(option) + ": '" + std::string(text) +
                                "' is not a number from 1 to " + std::to_string(most));
  return value;
}

}  // namespace demo
