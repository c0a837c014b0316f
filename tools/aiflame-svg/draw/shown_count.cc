// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/shown_count.h"

#include <cmath>
#include <optional>

#include "libcommon/base/count.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/unit_scale.h"
#include "libcommon/text/xml.h"

namespace aiflame::svg {
namespace {

// Whether counts are shown with their unit, in the one that fits.
bool is_scaled(const Drawing& drawing) {
  return unit_scale(drawing.unit).has_value();
}

}  // namespace

std::string shown_count(uint64_t count, const Drawing& drawing) {
  const auto text_of = [&](const Count& shown) {
    return is_scaled(drawing) ? format_quantity(shown.value, shown.decimals, drawing.unit)
                              : format_count_with_commas(shown.value, shown.decimals);
  };
  if (drawing.factor == 1) return text_of({count, drawing.decimals});
  const auto value =
      static_cast<long double>(count) * drawing.factor / std::pow(10.0L, drawing.decimals);
  const std::string text = format("%.*Lf", static_cast<int>(drawing.decimals), value);
  const std::optional<Count> rounded = parse_count(text);
  return rounded ? text_of(*rounded) : text + (is_scaled(drawing) ? " " + drawing.unit : "");
}

std::string quantity_text(uint64_t count, const Drawing& drawing) {
  return shown_count(count, drawing) + (is_scaled(drawing) ? "" : " " + drawing.count_name);
}

std::string shown_quantity(uint64_t count, const Drawing& drawing) {
  return xml(quantity_text(count, drawing));
}

std::string width_text(const Quantity& quantity, const std::string& count_name) {
  const auto scale = unit_scale(quantity.unit);
  std::string out = scale ? scale->noun : count_name;
  // a period in the counts' own unit would read as the width of the picture
  if (quantity.is_sampled())
    out += " of " + format_quantity(quantity.period, 0, quantity.period_unit);
  if (!quantity.event.empty()) out += " (" + quantity.event + ")";
  return out;
}

}  // namespace aiflame::svg
