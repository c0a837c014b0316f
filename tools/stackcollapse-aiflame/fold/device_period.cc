// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/device_period.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/folded/quantity.h"

namespace aiflame::collapse {

DevicePeriod parse_device_period(std::string_view description) {
  constexpr std::string_view kKey = ", period ";
  const size_t at = description.rfind(kKey);  // a name may hold anything
  if (at == std::string_view::npos) return {};
  std::string_view unit = trim_right(description.substr(at + kKey.size()));
  const auto length = parse_number<uint64_t>(take_field(unit));
  unit = trim_left(unit);
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (!length || *length == 0 || !is_unit(unit) ||
      !std::all_of(unit.begin(), unit.end(), is_letter))
    return {};
  return {*length, std::string(unit)};
}

}  // namespace aiflame::collapse
