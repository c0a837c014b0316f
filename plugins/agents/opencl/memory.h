/* SPDX-License-Identifier: MIT
 *
 * Allocations and frees of device memory, for --memory: buffers, images and shared virtual memory.
 *
 * A buffer is freed when nobody refers to it any more, which may be the platform itself, for a
 * command that still runs. So its end is not the program's last clReleaseMemObject(), but what
 * clSetMemObjectDestructorCallback() reports.
 */
#pragma once

#include "plugins/agents/opencl/lower.h"

namespace aiflame::agent::opencl {

// `find` returns the loader's function of a name.
void find_memory_functions(const void* (*find)(const void* loader, const char* name),
                           const void* loader);
// Puts our functions into `layer`. Once.
void put_memory_functions(cl_icd_dispatch& layer);

}  // namespace aiflame::agent::opencl
