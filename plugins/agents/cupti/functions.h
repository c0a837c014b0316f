/* SPDX-License-Identifier: MIT
 *
 * Which module the function of a launch is of, where several modules have one of its name: an
 * autotuner's variants, say. No function of CUPTI tells; it is learned from the calls that load
 * modules and libraries and get functions and kernels of them, and from what is loaded within a
 * call. The driver is asked nothing: calls to it are not for callbacks (cupti_activity.h has
 * cuptiGetDeviceId() for what cuCtxGetDevice() tells, as that one may be called from them).
 */
#pragma once

#include <cupti.h>

#include <cstdint>

namespace aiflame::agent::cupti {

// Whether these calls are wanted called back, and what they are.
constexpr CUpti_CallbackId kFunctionCalls[] = {CUPTI_DRIVER_TRACE_CBID_cuModuleLoad,
                                               CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
                                               CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
                                               CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
                                               CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction,
                                               CUPTI_DRIVER_TRACE_CBID_cuModuleEnumerateFunctions,
                                               CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,
                                               CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile,
                                               CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule,
                                               CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel,
                                               CUPTI_DRIVER_TRACE_CBID_cuLibraryEnumerateKernels,
                                               CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction,
                                               CUPTI_DRIVER_TRACE_CBID_cuFuncLoad};
void function_call_entered(const CUpti_CallbackData& call);
void function_call_left(CUpti_CallbackId id, const CUpti_CallbackData& call);

// A function of a launch: `handle` is what the program launches it by, null where that is not told.
struct Function {
  CUcontext context;
  const void* handle;
  const char* name;
};
struct FunctionPlace {
  uint64_t object;      // the code object (report_load()) that has it; 0 = not known
  bool may_be_learned;  // when the launch has been made
};
FunctionPlace place_of(const Function& function);
// It is launched: its module is loaded, if only now, in the call that began when `loads_before`
// modules had been. `inner`: what the runtime has launched in its place, likewise.
void learn_from_launch(const Function& function, const Function& inner, uint64_t loads_before);
// Another call is about it, likewise.
void learn_from_call(const Function& function, uint64_t loads_before);

}  // namespace aiflame::agent::cupti
