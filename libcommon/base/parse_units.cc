// SPDX-License-Identifier: MIT
#include "libcommon/base/parse_units.h"

#include <utility>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

using Unit = std::pair<char, uint64_t>;
constexpr Unit kBytes[] = {
    {'B', 1}, {'K', uint64_t{1} << 10}, {'M', uint64_t{1} << 20}, {'G', uint64_t{1} << 30}};
constexpr uint64_t kSecond = 1000000000;
constexpr Unit kTimes[] = {
    {'s', kSecond}, {'m', 60 * kSecond}, {'h', 3600 * kSecond}, {'d', 86400 * kSecond}};

std::optional<uint64_t> parse_with_unit(std::string_view text, const Unit (&units)[4]) {
  if (text.empty()) return std::nullopt;
  for (const auto& [letter, factor] : units) {
    if (text.back() != letter) continue;
    auto value = parse_number<uint64_t>(text.substr(0, text.size() - 1));
    if (!value || *value == 0 || !multiply_checked(*value, factor)) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> parse_bytes(std::string_view text) {
  return parse_with_unit(text, kBytes);
}

std::optional<uint64_t> parse_duration(std::string_view text) {
  return parse_with_unit(text, kTimes);
}

}  // namespace aiflame
