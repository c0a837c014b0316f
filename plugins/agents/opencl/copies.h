/* SPDX-License-Identifier: MIT
 *
 * Copies, fills and mappings: what else than kernels runs in a queue. They are reported as launches
 * of an operation, whose name says the direction and the class of the size. OpenCL does not tell
 * whether memory of the host is pinned. A GPU's driver may run kernels of its own for them, whose
 * code it shows to nobody.
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
