/* SPDX-License-Identifier: MIT
 *
 * The cubins on the devices, as contexts have loaded them, and the addresses that the agent makes
 * up for them: a base that no other load gets, plus the offset in the file.
 */
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace aiflame::agent {

// From the callbacks: the bytes are there only during them.
void module_loaded(CUcontext context, uint32_t module, const void* cubin, size_t bytes,
                   uint32_t device);
void module_unloading(CUcontext context, uint32_t module);
void context_gone(CUcontext context);

// Where the instruction `pc_offset` bytes behind the start of `function` lies, of the cubin with
// this hash (see cubin.h); or, where no cubin has the hash, of the only one of the context that has
// such a function. 0 when it is not known.
uint64_t instruction_address(CUcontext context, uint64_t hash, const char* function,
                             uint64_t pc_offset);

// Tells the recorder of unloads once more samples cannot come: CUPTI hands out those of a module
// for a while after it is gone. To be called after each time that all samples were read.
void tell_unloads();

}  // namespace aiflame::agent
