// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/event_unit.h"

#include <algorithm>
#include <iterator>

#include "libcommon/folded/quantity.h"
#include "libcommon/folded/unit_scale.h"
#include "tools/stackcollapse-aiflame/fold/device_events.h"

namespace aiflame::collapse {
namespace {

// `cycles` of `cycles:u` and of `cpu_core/cycles,period=1000/u`.
std::string_view bare_name(std::string_view name) {
  if (const size_t slash = name.find('/'); slash != std::string_view::npos)
    name.remove_prefix(slash + 1);
  return name.substr(0, name.find_first_of(",/:"));
}

template <size_t N>
bool is_one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

std::string_view unit_of_device_event(std::string_view event) {
  if (is_time_event(event)) return kNanoseconds;
  if (is_memory_event(event)) return kBytes;
  if (is_launch_event(event)) return "launches";
  return event == kDeviceEvents[kClockSample] ? "samples" : "stalls";
}

std::string_view unit_of_cpu_event(std::string_view event) {
  constexpr std::string_view kTimes[] = {"cpu-clock", "task-clock"};
  constexpr std::string_view kCycles[] = {"cycles", "cpu-cycles", "ref-cycles"};
  const std::string_view name = bare_name(event);
  if (is_one_of(kTimes, name)) return kNanoseconds;
  return is_one_of(kCycles, name) ? "cycles" : "events";
}

}  // namespace aiflame::collapse
