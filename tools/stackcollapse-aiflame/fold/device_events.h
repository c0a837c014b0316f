// SPDX-License-Identifier: MIT
// The events of devices. By default the first of them that has occurred is drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace aiflame::collapse {

inline constexpr std::string_view kDeviceEvents[] = {"gpu-stall", "gpu-clock", "gpu-time"};
inline constexpr uint32_t kStall = 0, kClockSample = 1, kTime = 2;  // indexes

inline bool is_device_event(std::string_view event) {
  return std::find(std::begin(kDeviceEvents), std::end(kDeviceEvents), event) !=
         std::end(kDeviceEvents);
}

}  // namespace aiflame::collapse
