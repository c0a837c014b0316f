/* SPDX-License-Identifier: MIT
 *
 * Programs of a platform that says where code lies on the device, as Intel's does.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/opencl/lower.h"

namespace aiflame::agent::opencl {

// Puts our functions for making and releasing programs and kernels into `layer`. Once.
void put_program_functions(cl_icd_dispatch& layer);

// The code object that holds the kernel on the queue's device, see report_load(); 0 = unknown. In a
// forked child, and for another recorder, it first reports again what is there.
uint64_t object_of(cl_kernel kernel, cl_command_queue queue);

}  // namespace aiflame::agent::opencl
