// SPDX-License-Identifier: MIT
// The period of a device: what one sample stands for, by the end of `# device N : …, period 1004
// cycles`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

namespace aiflame::collapse {

struct DevicePeriod {
  uint64_t length = 0;  // 0: not known
  std::string unit{};   // ns, cycles; empty like `length`

  bool operator==(const DevicePeriod&) const = default;
  bool operator<(const DevicePeriod& other) const {
    return std::tie(length, unit) < std::tie(other.length, other.unit);
  }
};

// `description` is the value of that line. A period whose unit no reader of folded(5) would take is
// not known.
DevicePeriod parse_device_period(std::string_view description);

}  // namespace aiflame::collapse
