/* SPDX-License-Identifier: MIT
 *
 * Programs of a platform that tells where their code is on the device, as Intel's does.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/opencl/lower.h"

namespace aiflame::agent::opencl {

// Puts those functions into `layer` by which programs and kernels come and go. Once.
void put_program_functions(cl_icd_dispatch& layer);

// The code object that has the kernel, see report_load(); 0 = unknown. In a forked child it first
// tells its recorder of what was there before.
uint64_t object_of(cl_kernel kernel);

}  // namespace aiflame::agent::opencl
