// SPDX-License-Identifier: MIT
// What a stack of gpu-time says of the device (pure): computation, communication, copies, exposed
// or hidden by other work; or idle time and its cause, as the stackcollapse programs write them
// with
// --exposed and --idle:
//
//   [exposed];py::step:train.py;cudaMemcpyAsync;-;Memcpy HtoD_[G]
//   rank 0;[gpu idle];[host busy];py::step:train.py
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace aiflame::report {

struct DeviceTime {
  // Of the row that it counts for, and of that of its cause; empty: there is none.
  std::string_view row, cause;
  bool marked = false;  // idle, exposed or hidden: the profile tells them apart
  bool hidden = false;
  bool idle = false;  // what stands on it is no work
};

// The marks stand among so many frames at the root.
inline constexpr size_t kMarkedFrames = 8;

// `roots`: the first frames of a stack. `kernel`: its frame, or empty.
DeviceTime device_time_of(const std::vector<std::string_view>& roots, std::string_view kernel);

// The order of the rows: work, idle time, its causes, what is outside of the window.
uint32_t device_row_order(std::string_view row);

}  // namespace aiflame::report
