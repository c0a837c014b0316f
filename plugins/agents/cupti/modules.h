/* SPDX-License-Identifier: MIT
 *
 * The cubins on the devices, as contexts have loaded them, and the addresses that the agent makes
 * up for them: a base that no other load gets, plus the offset in the file.
 */
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "plugins/agents/cupti/cupti_library.h"

namespace aiflame::agent::cupti {

// Samples name their cubin by a number: hash_bytes() of it, or where CUPTI does not take that, its
// own, which cubins that differ may share. It is asked for it then alone, since that takes a lock
// of CUPTI's in its callback.
void number_by_cupti(const Cupti& cupti);

// From the callbacks: the bytes are there only during them.
void module_loaded(CUcontext context, uint32_t module, const void* cubin, size_t bytes,
                   uint32_t device);
void module_unloading(CUcontext context, uint32_t module);
void context_gone(CUcontext context);

// Where the instruction `pc_offset` bytes behind the start of `function` lies, of the cubin with
// this number; or, where no cubin has the number, or several that differ, of the only one of those
// (of the context) that has such a function. 0 when it is not known.
uint64_t instruction_address(CUcontext context, uint64_t number, const char* function,
                             uint64_t pc_offset);

// ---- for functions.h: a module is named by its base, which no other gets -----------------------

// Changes when modules come and go, and when it is called for.
uint64_t modules_version();
void modules_changed();
// How many modules have been loaded.
uint64_t loads();
// Of those that this thread loaded behind the first `before`: the only one in the context, or the
// only one there that has such a function. 0 = none, or several.
uint64_t loaded_since(uint64_t before, CUcontext context, const char* function = nullptr);
// In which contexts that was: how many of them are in `out`.
uint32_t contexts_loaded_in_since(uint64_t before, CUcontext* out, uint32_t room);
bool is_loaded(uint64_t base);
bool has_function(uint64_t base, const char* function);  // and is loaded
// The only module of the context that has such a function; 0 = none or several.
uint64_t only_module_with(CUcontext context, const char* function);
// The code object of the module that has this address; 0 = none.
uint64_t object_at(uint64_t address);

// Tells the recorder of unloads once more samples cannot come: CUPTI hands out those of a module
// for a while after it is gone. To be called after each time that all samples were read.
void tell_unloads();

}  // namespace aiflame::agent::cupti
