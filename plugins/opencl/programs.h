/* SPDX-License-Identifier: MIT
 *
 * Programs of a platform that tells where their code is on the device, as Intel's does.
 */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>

#include <cstdint>

namespace aiflame::agent {

// Puts those functions into `layer` by which programs and kernels come and go; they go on to
// `lower`. Once.
void put_program_functions(const cl_icd_dispatch* lower, cl_icd_dispatch& layer);

// The code object that has the kernel, see report_load(); 0 = unknown. In a forked child it first
// tells its recorder of what was there before.
uint64_t object_of(cl_kernel kernel);

}  // namespace aiflame::agent
