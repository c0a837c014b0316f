/* SPDX-License-Identifier: MIT
 *
 * Copies and fills: the driver of a GPU does them by kernels of its own, whose code it shows to
 * nobody. They are told as launches of `[driver kernel]`, without an object.
 */
#pragma once

#include "plugins/agents/opencl/lower.h"

namespace aiflame::agent::opencl {

// `find` tells where the loader has the function of a name.
void find_copy_functions(const void* (*find)(const void* loader, const char* name),
                         const void* loader);
// Puts our own into `layer`. Once.
void put_copy_functions(cl_icd_dispatch& layer);

}  // namespace aiflame::agent::opencl
