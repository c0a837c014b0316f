// SPDX-License-Identifier: MIT
#include "libcommon/folded/quantity.h"

#include <algorithm>
#include <array>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/printable.h"
#include "libcommon/folded/unit_scale.h"

namespace aiflame {
namespace {

constexpr std::string_view kBegin = "# aiflame: ";
// A unit is repeated with every frame that is shown, so none may be long. Perf's longest events,
// `cpu/event=…,umask=…,name=…/`, leave room in such a line.
constexpr size_t kLongestLine = 1024, kLongestUnit = 64;

// Cuts the text up to the next ", " off the front of `text`.
std::string_view take_item(std::string_view& text) {
  const size_t end = text.find(", ");
  const std::string_view item = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  return item;
}

// An event as the value of a key: ", " would end it.
std::string event_text(std::string_view event) {
  std::string out = printable(event);
  for (size_t at = 0; (at = out.find(", ", at)) != std::string::npos;) out.erase(at + 1, 1);
  return out;
}

// At least three digits, and at most four up to 9999 of the largest unit.
std::string format_scaled(double count, const UnitScale& scale) {
  for (const auto& [size, prefix] : scale.steps) {
    // 999.96 us has four digits as 1.000 ms
    if (count < 0.99995 * size) continue;
    const double value = count / size;
    const int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
    std::array<char, 64> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                            std::chars_format::fixed, decimals);
    return std::string(text.data(), end) + " " + prefix + std::string(scale.base);
  }
  return {};
}

// A stall is not an exposed stall, and an instruction not a cache miss. Other units say all.
bool has_unit_of_event(const Quantity& quantity) {
  return (quantity.unit == "events" || quantity.unit == "stalls") && !quantity.event.empty();
}

}  // namespace

bool is_unit(std::string_view text) {
  return !text.empty() && text.size() <= kLongestUnit && (text.back() < '0' || text.back() > '9') &&
         std::none_of(text.begin(), text.end(), is_blank) && is_printable(text);
}

std::string quantity_line(const Quantity& quantity) {
  std::string out(kBegin);
  if (!quantity.event.empty()) out += "event " + event_text(quantity.event) + ", ";
  out += "unit " + quantity.unit;
  if (quantity.period > 0)
    out += ", period " + std::to_string(quantity.period) + " " + quantity.period_unit;
  if (quantity.measured) out += ", weights measured";
  if (quantity.two_counts) out += ", columns two";
  return out + "\n";
}

std::optional<Quantity> parse_quantity(std::string_view line) {
  line = trim_right(line);
  if (line.size() > kLongestLine || !take_prefix(line, kBegin)) return std::nullopt;
  Quantity out;
  while (!line.empty()) {
    std::string_view item = take_item(line);
    const std::string_view key = take_field(item);
    item = trim_left(item);
    if (key == "event") {
      out.event = item;
    } else if (key == "unit") {
      if (is_unit(item)) out.unit = item;
    } else if (key == "period") {
      const auto period = parse_number<uint64_t>(take_field(item));
      item = trim_left(item);
      if (!period || *period == 0 || !is_unit(item)) continue;
      out.period = *period;
      out.period_unit = item;
    } else if (key == "weights") {
      out.measured = item == "measured";
    } else if (key == "columns") {
      out.two_counts = item == "two";
    }
  }
  if (!out.is_known()) return std::nullopt;
  return out;
}

bool is_comparable(const Quantity& a, const Quantity& b) {
  if (!a.is_known() || !b.is_known()) return true;
  if (a.unit != b.unit || a.two_counts != b.two_counts) return false;
  if (has_unit_of_event(a) && has_unit_of_event(b) && a.event != b.event) return false;
  return !a.is_sampled() || !b.is_sampled() ||
         (a.period == b.period && a.period_unit == b.period_unit);
}

Quantity common_quantity(const Quantity& a, const Quantity& b) {
  if (!a.is_known()) return b;
  if (!b.is_known()) return a;
  Quantity out = a;
  if (a.unit != b.unit || a.two_counts != b.two_counts) return {};
  if (a.event != b.event) out.event.clear();
  out.measured = a.measured && b.measured;
  if (a.period != b.period || a.period_unit != b.period_unit) {
    out.period = 0;
    out.period_unit.clear();
  }
  return out;
}

std::string describe(const Quantity& quantity) {
  if (!quantity.is_known()) return "counts without a unit";
  std::string out = printable(quantity.unit);
  if (quantity.is_sampled())
    out += " of " + std::to_string(quantity.period) + " " + printable(quantity.period_unit);
  if (!quantity.event.empty()) out += " (" + printable(quantity.event) + ")";
  if (quantity.two_counts) out += " in two columns";
  return out;
}

std::string describe_difference(const Quantity& counts, const std::string& others,
                                const Quantity& theirs) {
  return "counts are " + describe(counts) + ", those of " + others + " are " + describe(theirs);
}

std::string format_quantity(uint64_t value, unsigned decimals, std::string_view unit) {
  if (const std::optional<UnitScale> scale = unit_scale(unit)) {
    double count = static_cast<double>(value);
    for (unsigned i = 0; i < decimals; ++i) count /= 10;
    if (std::string text = format_scaled(count, *scale); !text.empty()) return text;
  }
  return format_count_with_commas(value, decimals) + " " + std::string(unit);
}

}  // namespace aiflame
