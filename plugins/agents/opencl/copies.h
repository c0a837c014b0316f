/* SPDX-License-Identifier: MIT
 *
 * Copies and fills. A GPU's driver runs kernels of its own for them, whose code it shows to nobody.
 * They are reported as launches of `[driver kernel]`, without an object.
 */
#pragma once

#include "plugins/agents/opencl/lower.h"

namespace aiflame::agent::opencl {

// `find` returns the loader's function of a name.
void find_copy_functions(const void* (*find)(const void* loader, const char* name),
                         const void* loader);
// Puts our functions into `layer`. Once.
void put_copy_functions(cl_icd_dispatch& layer);

}  // namespace aiflame::agent::opencl
