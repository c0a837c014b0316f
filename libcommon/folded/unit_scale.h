// SPDX-License-Identifier: MIT
// Units of counts that are shown in a larger unit where that fits better: 12345 ns as 12.35 us.
// Files keep the small unit, in which whole numbers are exact enough.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace aiflame {

// Memory, and the units of aiflame-cost. Money is kPicoMoney and a currency: "pUSD".
inline constexpr std::string_view kBytes = "bytes";  // shown as KiB, MiB, GiB, TiB
inline constexpr std::string_view kNanojoules = "nJ", kNanowattHours = "nWh",
                                  kNanogramsCo2e = "ngCO2e", kPicoMoney = "p";

struct UnitScale {
  struct Step {
    double size;         // in counts
    const char* prefix;  // of the base: "k"
  };
  const char* noun;             // what it measures: "energy"
  std::string_view base;        // "J"
  std::span<const Step> steps;  // the largest first
};

// The scale of a unit; nothing where its counts are shown as they are. Views into `unit`.
std::optional<UnitScale> unit_scale(std::string_view unit);

// Whether `text` can be a currency: three capital letters, as ISO 4217 has them.
bool is_currency(std::string_view text);

// "1e+09:s 1e+06:ms 1e+03:us", "1048576:MiB 1024:KiB", for the script of a page.
std::string scale_steps(const UnitScale& scale);

}  // namespace aiflame
