// SPDX-License-Identifier: MIT
#include "libcommon/base/count.h"

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

uint64_t power_of_ten(unsigned exponent) {
  uint64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

}  // namespace

std::optional<Count> parse_count(std::string_view text) {
  const size_t point = text.find('.');
  const auto whole = parse_number<uint64_t>(text.substr(0, point));
  if (!whole) return std::nullopt;
  Count count{*whole, 0};
  if (point == std::string_view::npos) return count;
  std::string_view digits = text.substr(point + 1);
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const bool round_up = digits.size() > kMaxDecimals && digits[kMaxDecimals] >= '5';
  digits = digits.substr(0, kMaxDecimals);
  // "5.500" needs one decimal, "5.000" none
  if (!round_up) digits = digits.substr(0, digits.find_last_not_of('0') + 1);
  if (digits.empty()) return count;
  const uint64_t fraction = parse_number<uint64_t>(digits).value_or(0) + (round_up ? 1 : 0);
  if (!widen(count, static_cast<unsigned>(digits.size()))) return std::nullopt;
  if (!add_checked(count.value, fraction)) return std::nullopt;
  return count;
}

bool widen(Count& count, unsigned decimals) {
  if (!multiply_checked(count.value, power_of_ten(decimals - count.decimals))) return false;
  count.decimals = decimals;
  return true;
}

std::string format_count(uint64_t value, unsigned decimals) {
  const uint64_t unit = power_of_ten(decimals);
  std::string text = std::to_string(value / unit);
  const uint64_t fraction = value % unit;
  if (fraction == 0) return text;
  std::string digits = std::to_string(fraction);
  digits.insert(0, decimals - digits.size(), '0');
  digits.resize(digits.find_last_not_of('0') + 1);
  return text + "." + digits;
}

std::string format_count_with_commas(uint64_t value, unsigned decimals) {
  std::string text = format_count(value, decimals);
  size_t end = text.find('.');
  if (end == std::string::npos) end = text.size();
  for (size_t i = end; i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

}  // namespace aiflame
