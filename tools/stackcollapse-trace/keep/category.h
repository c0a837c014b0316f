// SPDX-License-Identifier: MIT
// What an event is, by its category (pure). The names of PyTorch's categories are those of Kineto's
// ActivityType; before PyTorch 1.11 they were written "Operator", "Kernel", "Runtime".
#pragma once

#include <cstdint>
#include <string_view>

namespace aiflame::trace {

enum class Role : uint8_t {
  unknown,
  skipped,
  unnamed,  // no category: what it is depends on the process
  range,
  python,
  op,
  runtime,
  kernel,
  copy,
  fill,          // a memset
  device_range,  // a range, as the device saw it
  launch_flow,   // an arrow from a launch to what it launched
  host_flow,     // the same from a thread of the runtime
  forward_flow,  // an arrow from a forward operator to a backward one
};

Role role_of(std::string_view category);

}  // namespace aiflame::trace
