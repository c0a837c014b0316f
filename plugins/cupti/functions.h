/* SPDX-License-Identifier: MIT
 *
 * Which module the function of a launch is of, where several modules have one of its name: an
 * autotuner's variants, say. No function of CUPTI tells; it is learned from the calls that load
 * modules and get functions of them, and from what is loaded when a launch has been made.
 */
#pragma once

#include <cupti.h>

#include <cstdint>

namespace aiflame::agent {

// Whether these calls are wanted called back, and what they are.
constexpr CUpti_CallbackId kFunctionCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoad, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
    CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction};
bool is_function_call(CUpti_CallbackDomain domain, CUpti_CallbackId id);
void function_call_entered();
void function_call_left(CUpti_CallbackId id, const CUpti_CallbackData& call);

// A function of a launch: `handle` is what the program launches it by, null where that is not told.
struct Function {
  CUcontext context;
  const void* handle;
  const char* name;
};
// The code object (report_load()) that has it; 0 where it is not known, or its name says it.
uint64_t object_of(const Function& function);
// It is launched: its module is loaded, if only now, in the call that began when this thread had
// loaded `loads_before` modules.
void learn_from_launch(const Function& function, uint64_t loads_before);

}  // namespace aiflame::agent
