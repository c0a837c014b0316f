/* SPDX-License-Identifier: MIT
 *
 * The devices that the program uses: their numbers and places.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/opencl/lower.h"

namespace aiflame::agent::opencl {

// Null where the platform does not say.
cl_device_id device_of(cl_command_queue queue);

// The number in agent_stack and agent_code. Its place is reported first, again to another recorder
// and in a forked child. 0 where the platform does not say the place, as PoCL's CPU has none.
uint32_t device_number(cl_device_id device);

// Around fork(2).
void lock_devices();
void unlock_devices();

}  // namespace aiflame::agent::opencl
