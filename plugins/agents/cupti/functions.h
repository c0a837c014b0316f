/* SPDX-License-Identifier: MIT
 *
 * Finds the module of a launched function, where several modules have a function of that name, as
 * an autotuner's variants do. No function of CUPTI says so. It is learned from the calls that load
 * modules and libraries and get functions and kernels from them, and from what is loaded during a
 * call. The driver is never asked: its functions must not be called in callbacks (which is why
 * cupti_activity.h offers cuptiGetDeviceId() besides cuCtxGetDevice()).
 */
#pragma once

#include <cupti.h>

#include <cstdint>

namespace aiflame::agent::cupti {

// The calls to be called back for.
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

// A launched function. `handle` is what the program launches it by, null when that is unknown.
struct Function {
  CUcontext context;
  const void* handle;
  const char* name;
};
struct FunctionPlace {
  uint64_t object;      // the code object (report_load()) that holds it; 0 = not known
  bool may_be_learned;  // once the launch has been made
};
FunctionPlace place_of(const Function& function);
// After a launch, the function's module is loaded. It may have been loaded only during that call,
// which began after `loads_before` loads. `inner`: the function that the runtime launched in its
// place.
void learn_from_launch(const Function& function, const Function& inner, uint64_t loads_before);
// The same after another call about the function.
void learn_from_call(const Function& function, uint64_t loads_before);

}  // namespace aiflame::agent::cupti
