// SPDX-License-Identifier: MIT
#include "libcommon/folded/unit_scale.h"

#include <algorithm>
#include <array>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/quantity.h"

namespace aiflame {
namespace {

using Step = UnitScale::Step;

constexpr std::array kTime{Step{1e9, ""}, Step{1e6, "m"}, Step{1e3, "u"}};
constexpr std::array kEnergy{Step{1e15, "M"}, Step{1e12, "k"}, Step{1e9, ""}, Step{1e6, "m"},
                             Step{1e3, "u"}};
constexpr std::array kMass{Step{1e12, "k"}, Step{1e9, ""}, Step{1e6, "m"}, Step{1e3, "u"}};
constexpr std::array kMemory{Step{0x1p40, "Ti"}, Step{0x1p30, "Gi"}, Step{0x1p20, "Mi"},
                             Step{0x1p10, "Ki"}};
constexpr std::array kMoney{Step{1e12, ""}, Step{1e9, "m"}, Step{1e6, "u"}, Step{1e3, "n"}};

// Those of memory are powers of two.
bool is_power_of_ten(double size) {
  while (size >= 10) size /= 10;
  return size == 1;
}

}  // namespace

bool is_currency(std::string_view text) {
  return text.size() == 3 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::optional<UnitScale> unit_scale(std::string_view unit) {
  if (unit == kNanoseconds) return UnitScale{"time", "s", kTime};
  if (unit == kBytes) return UnitScale{"bytes", "B", kMemory};
  if (unit == kNanojoules) return UnitScale{"energy", "J", kEnergy};
  if (unit == kNanowattHours) return UnitScale{"energy", "Wh", kEnergy};
  if (unit == kNanogramsCo2e) return UnitScale{"carbon", "gCO2e", kMass};
  if (take_prefix(unit, kPicoMoney) && is_currency(unit)) return UnitScale{"money", unit, kMoney};
  return std::nullopt;
}

std::string scale_steps(const UnitScale& scale) {
  std::string out;
  for (const auto& [size, prefix] : scale.steps)
    out += (out.empty() ? "" : " ") +
           (is_power_of_ten(size) ? format("%.0e:", size) : format("%.0f:", size)) + prefix +
           std::string(scale.base);
  return out;
}

}  // namespace aiflame
