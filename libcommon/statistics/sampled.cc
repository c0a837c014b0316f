// SPDX-License-Identifier: MIT
#include "libcommon/statistics/sampled.h"

#include <string_view>

#include "libcommon/folded/unit_scale.h"

namespace aiflame {
namespace {

// Whether counts in this unit are amounts of something, which need not be sampled.
bool is_amount(std::string_view unit) {
  return unit_scale(unit).has_value() || unit == "us" || unit == "ms" || unit == "s";
}

}  // namespace

std::optional<double> count_of_sample(const Quantity& quantity) {
  if (quantity.measured) return 0;
  if (quantity.unit == "samples" || quantity.unit == "stalls") return 1;
  if (quantity.period > 0 && quantity.unit == quantity.period_unit)
    return static_cast<double>(quantity.period);
  if (is_amount(quantity.unit)) return 0;
  return std::nullopt;
}

}  // namespace aiflame
