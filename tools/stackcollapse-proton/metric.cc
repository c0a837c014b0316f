// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-proton/metric.h"

#include <algorithm>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/code/stall_reasons.h"

namespace aiflame::proton {
namespace {

std::string small(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

std::string_view without_unit(std::string_view key) {
  return trim_right(key.substr(0, key.find('(')));
}

}  // namespace

Metric::Metric(std::string_view name) : name_(small(without_unit(name))) {}

bool Metric::has(std::string_view key) const {
  return is_stalled() ? reason_of_key(key).has_value() : small(without_unit(key)) == name_;
}

bool Metric::is_nested() const {
  return name_ == "cycles" || name_ == "normalized_cycles" || name_ == "cpu_time";
}

Quantity Metric::quantity(std::string_view key) const {
  if (is_stalled()) return {.event = "gpu-stall", .unit = "stalls"};
  if (name_ == "time")
    return {.event = "gpu-time", .unit = std::string(kNanoseconds), .measured = true};
  if (name_ == "count") return {.event = "gpu-launch", .unit = "events"};
  if (name_.ends_with("cycles")) return {.event = "gpu-cycles", .unit = "cycles"};
  if (name_.ends_with("samples")) return {.event = name_, .unit = "samples"};
  // a program's own: "bytes", "flops16", "cpu_time (ns)"
  std::string_view unit = key;
  unit.remove_prefix(std::min(key.find('(') + 1, key.size()));
  unit = unit.substr(0, unit.find(')'));
  if (key.find('(') == std::string_view::npos)
    unit = name_ == "bytes" ? "bytes" : name_.starts_with("flops") ? "flops" : "events";
  return {.event = name_, .unit = is_unit(unit) ? std::string(unit) : "events"};
}

std::optional<std::string> reason_of_key(std::string_view key) {
  if (!take_prefix(key, "stalled_") || key.empty()) return std::nullopt;
  std::string name = small(key);
  // of AMD: stalled_amd_waitcnt
  std::string_view of_amd = name;
  if (take_prefix(of_amd, "amd_") && find_stall_reason(of_amd) != nullptr)
    return std::string(of_amd);
  return name;
}

std::optional<WholeNumber> parse_whole(std::string_view number) {
  const bool is_negative = take_prefix(number, "-");
  const size_t e = std::min(number.find_first_of("eE"), number.size());
  std::string_view exponent_text = number.substr(std::min(e + 1, number.size()));
  take_prefix(exponent_text, "+");
  const auto exponent = exponent_text.empty() ? 0 : parse_number<int64_t>(exponent_text);
  std::string digits(number.substr(0, e));
  const size_t point = digits.find('.');
  int64_t decimals = 0;
  if (point != std::string::npos) {
    decimals = static_cast<int64_t>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  WholeNumber out;
  if (digits.empty()) return out;
  if (is_negative || !exponent || *exponent > 40 || *exponent < -1000000) return std::nullopt;
  decimals -= *exponent;
  // 123.45e1 is 12345 with one decimal
  const auto size = static_cast<int64_t>(digits.size());
  if (decimals > 0) {
    const auto whole = static_cast<size_t>(std::max<int64_t>(size - decimals, 0));
    out.is_exact = digits.find_first_not_of('0', whole) == std::string::npos;
    const bool up = decimals <= size && digits[whole] >= '5';
    if (whole > 0) {
      const auto value = parse_number<uint64_t>(std::string_view(digits).substr(0, whole));
      if (!value) return std::nullopt;
      out.value = *value;
    }
    if (up && !add_checked(out.value, 1)) return std::nullopt;
    return out;
  }
  digits.append(static_cast<size_t>(-decimals), '0');
  const auto value = parse_number<uint64_t>(digits);
  if (!value) return std::nullopt;
  out.value = *value;
  return out;
}

}  // namespace aiflame::proton
