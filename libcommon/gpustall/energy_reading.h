// SPDX-License-Identifier: MIT
// The lines of gpustall(5) about energy:
//
//   # energy 0 : rapl, package-0, from 5012.000000000 to 5013.000000000, 64.103271 J
//
// They have the form of a header line, so readers that do not know them pass over them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aiflame {

// What one counter counted in a time.
struct EnergyReading {
  uint64_t counter = 0;                 // its number in the recording
  std::string source;                   // "rapl", "hwmon"
  std::string name;                     // "package-0"
  uint64_t start = 0, stop = 0;         // nanoseconds
  std::optional<uint64_t> microjoules;  // nothing for `?`: the counter was set back
};

// Whether a header line is of energy: by its key, "energy 0".
inline bool is_energy_key(std::string_view key) {
  return key.starts_with("energy ");
}
// Parses such a line; nothing where it is malformed.
std::optional<EnergyReading> parse_energy(std::string_view key, std::string_view value);
// The line without "# ". Commas in the names become blanks.
std::string energy_text(const EnergyReading& reading);

}  // namespace aiflame
