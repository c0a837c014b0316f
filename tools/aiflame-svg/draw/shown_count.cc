// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/shown_count.h"

#include <cmath>
#include <optional>

#include "libcommon/base/count.h"
#include "libcommon/base/program.h"
#include "libcommon/text/xml.h"

namespace aiflame::svg {
namespace {

bool shows_time(const Drawing& drawing) {
  return drawing.unit == kNanoseconds;
}

}  // namespace

std::string shown_count(uint64_t count, const Drawing& drawing) {
  const auto text_of = [&](const Count& shown) {
    return shows_time(drawing) ? format_quantity(shown.value, shown.decimals, kNanoseconds)
                               : format_count_with_commas(shown.value, shown.decimals);
  };
  if (drawing.factor == 1) return text_of({count, drawing.decimals});
  const auto value =
      static_cast<long double>(count) * drawing.factor / std::pow(10.0L, drawing.decimals);
  const std::string text = format("%.*Lf", static_cast<int>(drawing.decimals), value);
  const std::optional<Count> rounded = parse_count(text);
  return rounded ? text_of(*rounded) : text + (shows_time(drawing) ? " ns" : "");
}

std::string quantity_text(uint64_t count, const Drawing& drawing) {
  return shown_count(count, drawing) + (shows_time(drawing) ? "" : " " + drawing.count_name);
}

std::string shown_quantity(uint64_t count, const Drawing& drawing) {
  return xml(quantity_text(count, drawing));
}

std::string width_text(const Quantity& quantity) {
  std::string out = quantity.is_time() ? "time" : quantity.unit;
  // a period in the counts' own unit would read as the width of the picture
  if (quantity.is_sampled())
    out += " of " + format_quantity(quantity.period, 0, quantity.period_unit);
  if (!quantity.event.empty()) out += " (" + quantity.event + ")";
  return out;
}

}  // namespace aiflame::svg
