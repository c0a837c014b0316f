// SPDX-License-Identifier: MIT
// The units of counts, in the words of libcommon/folded/quantity.h.
#pragma once

#include <string_view>

namespace aiflame::collapse {

// The unit of an event of kDeviceEvents.
std::string_view unit_of_device_event(std::string_view event);

// The unit of perf's event of that name: cpu-clock counts ns, cycles:u counts cycles. A sample of
// any other event counts as many events as its period says.
std::string_view unit_of_cpu_event(std::string_view event);

}  // namespace aiflame::collapse
