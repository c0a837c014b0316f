/* SPDX-License-Identifier: MIT
 *
 * The CUDA driver that the program has loaded, and what an agent asks it. Needs no header of CUDA.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/agents/common/channel.h"

namespace aiflame::agent {

// What stands for a kernel without a name, and for the kernels of a graph; the second is a frame.
constexpr char kUnknownKernel[] = "[unknown kernel]";
constexpr char kGraph[] = "[cuda graph]\0[cuda]";

// The handle of libcuda.so.1, null where the program has not loaded it.
void* cuda_driver();
// The address of a driver function, or null.
const void* driver_function(const char* name);
// The same as what it is called by.
template <typename Function>
void find_driver_function(Function& out, const char* name) {
  out = reinterpret_cast<Function>(const_cast<void*>(driver_function(name)));
}
// The PCI address of a device, in the letters of /sys: "0000:3d:00.0". "" when it does not say.
void device_place(int device, char* out, size_t room);

// The size of a launch in blocks of threads: what dim3 and three numbers have in common in the
// arguments of a call. Unknown for numbers with which the call fails.
LaunchExtent size_in_blocks(const uint32_t (&grid)[3], const uint32_t (&block)[3], uint64_t shared);

}  // namespace aiflame::agent
