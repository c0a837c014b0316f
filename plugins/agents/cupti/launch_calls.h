/* SPDX-License-Identifier: MIT
 *
 * The functions of the API that launch kernels.
 */
#pragma once

#include <cupti.h>

#include <cstdint>

#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/functions.h"

namespace aiflame::agent::cupti {

// What a call launches, and which of its arguments that is.
enum class Launches : uint8_t {
  graph,
  several,  // kernels
  first,    // a function: a CUfunction, or the address that the runtime knows a kernel by
  second,
  first_presumed,  // the call's arguments are in no header of CUPTI's
};

// Its frame stands in front of the stack by name: with the runtime linked into the program, which
// is nvcc's default, the function has no symbol that could be looked up.
struct LaunchCall {
  CUpti_CallbackDomain domain;
  uint32_t id;
  const char* front;  // "cudaLaunchKernel" 0 "[cuda]" 0
  uint32_t front_bytes;
  Launches launches;
};

// Wants these calls called back. Returns how many there are.
uint32_t enable_launch_callbacks(const Cupti& cupti, CUpti_SubscriberHandle subscriber);
// Null where the callback is of no such call.
const LaunchCall* find_launch_call(CUpti_CallbackDomain domain, CUpti_CallbackId id);
// The function that the call launches, with what it is launched by.
Function function_of(const LaunchCall& known, const CUpti_CallbackData& call);

}  // namespace aiflame::agent::cupti
