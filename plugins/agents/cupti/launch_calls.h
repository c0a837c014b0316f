/* SPDX-License-Identifier: MIT
 *
 * The API functions that launch kernels and functions of the host, copy and fill, and those that
 * wait for the device.
 */
#pragma once

#include <cupti.h>

#include <cstdint>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/functions.h"

namespace aiflame::agent::cupti {

// What a call launches, and by which argument.
enum class Launches : uint8_t {
  graph,
  several,  // kernels
  first,    // a function: a CUfunction, or the address that the runtime knows a kernel by
  second,
  first_presumed,  // no header of CUPTI declares the call's arguments
  copy,            // no kernel: these and the next ones are found by their names
  fill,
  host_function,
  nothing,  // the call waits for the device
};

// The function is put at the top of the stack by name: when the runtime is linked into the program,
// which is nvcc's default, it has no symbol to look up.
struct LaunchCall {
  CUpti_CallbackDomain domain;
  uint32_t id;
  const char* front;  // "cudaLaunchKernel" 0 "[cuda]" 0
  uint32_t front_bytes;
  Launches launches;
  bool waits = false;  // until what it launches has ended, or for the device
};

// Enables the callbacks for these calls, those that launch functions of the host only
// `with_host_functions`. Returns how many of the launches of kernels CUPTI accepted.
uint32_t enable_launch_callbacks(const Cupti& cupti, CUpti_SubscriberHandle subscriber,
                                 bool with_host_functions);
// Null when the callback is for no such call.
const LaunchCall* find_launch_call(CUpti_CallbackDomain domain, CUpti_CallbackId id);
// The function that the call launches, and the handle by which it does.
Function function_of(const LaunchCall& known, const CUpti_CallbackData& call);
// How large the launch is, where the call's arguments say it.
LaunchExtent size_of(const LaunchCall& known, const CUpti_CallbackData& call);

}  // namespace aiflame::agent::cupti
