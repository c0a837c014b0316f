/* SPDX-License-Identifier: MIT
 *
 * The OpenCL functions below this layer.
 */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>

namespace aiflame::agent::opencl {

// Set before any call is made.
extern const cl_icd_dispatch* lower;

}  // namespace aiflame::agent::opencl
