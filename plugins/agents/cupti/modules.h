/* SPDX-License-Identifier: MIT
 *
 * The cubins that contexts have loaded, and the addresses that the agent makes up for them: a base
 * that is unique to the load, plus the offset in the file.
 */
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "plugins/agents/cupti/cupti_library.h"

namespace aiflame::agent::cupti {

// Samples name their cubin by a number: hash_bytes() of it. Where CUPTI does not let us choose, it
// is CUPTI's own number, which different cubins may share. Only then is CUPTI asked for it, as that
// takes a lock of CUPTI's within its callback.
void number_by_cupti(const Cupti& cupti);

// To be called in the callbacks; the bytes are valid only there.
void module_loaded(CUcontext context, uint32_t module, const void* cubin, size_t bytes,
                   uint32_t device);
void module_unloading(CUcontext context, uint32_t module);
void context_gone(CUcontext context);

// For a recording that begins later: what was loaded before is not known any more, as unloads were
// not heard of.
void forget_modules();
// Whether there are modules that were not told, for that reason.
bool has_untold_modules();
// The flags of an AGENT_STACK for a kernel in this code object; 0 = the object is not known.
uint16_t stack_flags_for(uint64_t object);

// The address of the instruction `pc_offset` bytes after the start of `function`, in the cubin with
// this number. If no cubin of the context has that number, or several different ones have it, the
// only one with such a function is taken, unless it may be in a module that was not told. 0 when it
// is not known.
uint64_t instruction_address(CUcontext context, uint64_t number, const char* function,
                             uint64_t pc_offset);

// ---- for functions.h: a module is named by its base, which is unique ----------------------------

// Changes when modules come and go, and with modules_changed().
uint64_t modules_version();
void modules_changed();
// How many modules have been loaded.
uint64_t loads();
// The only module of the context, or the only one there with such a function, among those that this
// thread loaded after the first `before` loads. 0 = none, or several.
uint64_t loaded_since(uint64_t before, CUcontext context, const char* function = nullptr);
// The contexts of those loads; returns how many are in `out`.
uint32_t contexts_loaded_in_since(uint64_t before, CUcontext* out, uint32_t room);
bool is_loaded(uint64_t base);
bool has_function(uint64_t base, const char* function);  // and the module is loaded
// The only module of the context with such a function; 0 = none or several, or there may be one
// that was not told.
uint64_t only_module_with(CUcontext context, const char* function);
// The code object that this address lies in; 0 = none.
uint64_t object_at(uint64_t address);

// Reports unloads after their last samples: CUPTI returns a module's samples for a while after it
// is unloaded. To be called after each read of all samples.
void report_unloads();

}  // namespace aiflame::agent::cupti
