// SPDX-License-Identifier: MIT
// The events of devices. By default the first of them that has occurred is drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "libcommon/gpustall/gpustall_record.h"

namespace aiflame::collapse {

inline constexpr std::string_view kDeviceEvents[] = {"gpu-stall", "gpu-clock", "gpu-time",
                                                     kExposedEvent};
inline constexpr uint32_t kStall = 0, kClockSample = 1, kTime = 2, kExposed = 3;  // indexes

inline bool is_device_event(std::string_view event) {
  return std::find(std::begin(kDeviceEvents), std::end(kDeviceEvents), event) !=
         std::end(kDeviceEvents);
}

// The index of an event of kDeviceEvents.
inline uint32_t device_event_number(std::string_view event) {
  return static_cast<uint32_t>(
      std::find(std::begin(kDeviceEvents), std::end(kDeviceEvents), event) - kDeviceEvents);
}

}  // namespace aiflame::collapse
