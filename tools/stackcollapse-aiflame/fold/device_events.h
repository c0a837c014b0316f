// SPDX-License-Identifier: MIT
// The events of devices. By default the first of them that has occurred is drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "libcommon/gpustall/gpustall_record.h"

namespace aiflame::collapse {

inline constexpr std::string_view kDeviceEvents[] = {
    "gpu-stall",  "gpu-clock",  "gpu-time",        kExposedEvent, "gpu-wait",
    "gpu-memory", "gpu-launch", "gpu-time-hidden", "gpu-idle",    "gpu-outside"};
// Indexes. The last three are no events of their own: the part of gpu-time that other work covered,
// idle time, and the time around a device's window.
inline constexpr uint32_t kStall = 0, kClockSample = 1, kTime = 2, kExposed = 3, kWait = 4,
                          kMemory = 5, kLaunch = 6, kHidden = 7, kIdle = 8, kOutside = 9;
inline constexpr uint32_t kNamedEvents = kHidden;

// Whether --event may name it.
inline bool is_device_event(std::string_view event) {
  const auto* const end = std::begin(kDeviceEvents) + kNamedEvents;
  return std::find(std::begin(kDeviceEvents), end, event) != end;
}
// Whether it counts nanoseconds.
inline bool is_time_event(std::string_view event) {
  return event == kDeviceEvents[kTime] || event == kDeviceEvents[kWait];
}

// Whether it counts bytes, or blocks.
inline bool is_memory_event(std::string_view event) {
  return event == kDeviceEvents[kMemory];
}

// Whether it counts launches.
inline bool is_launch_event(std::string_view event) {
  return event == kDeviceEvents[kLaunch];
}

// Whether it counts samples: what the others count is known exactly.
inline bool is_sampled_event(std::string_view event) {
  return !is_time_event(event) && !is_memory_event(event) && !is_launch_event(event);
}

// The index of an event of kDeviceEvents.
inline uint32_t device_event_number(std::string_view event) {
  return static_cast<uint32_t>(
      std::find(std::begin(kDeviceEvents), std::end(kDeviceEvents), event) - kDeviceEvents);
}

}  // namespace aiflame::collapse
