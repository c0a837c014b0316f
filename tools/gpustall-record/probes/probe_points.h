// SPDX-License-Identifier: MIT
// The functions that launch probes are placed on, and what a hit of each one means.
#pragma once

#include "tools/gpustall-record/probes/uprobe.h"

namespace aiflame::record {

// Arguments are numbered from the first one.
enum class ProbeMeaning {
  create_kernel,  // the kernel's name is fetched
  clone_kernel,   // of the kernel in argument 1
  ask_kernel,     // what argument 2 asks about that kernel, its name, goes to where argument 4 says
  retain_kernel,  // the kernel in argument 1
  release_kernel,
  create_list,            // a regular command list
  create_immediate_list,  // a command list that runs each kernel when it is appended
  created,                // the function that creates something returns
  launch,                 // the kernel in argument 2
  append,                 // the kernel in argument 2 to the list in argument 1
  append_several,         // so many kernels, whose handles are fetched, to that list
  execute,                // so many lists, whose handles are fetched
  close,                  // the list in argument 1
  reset,
  destroy,
};

// Where a new handle is: the result, or where the third or fourth argument says.
enum class HandleIn { none, result, third, fourth };

// Arguments as the kernel's uprobetracer.rst names registers.
#if defined(__aarch64__)
#define SECOND_ARGUMENT "%x1"
#define THIRD_ARGUMENT "%x2"
#else
#define SECOND_ARGUMENT "%si"
#define THIRD_ARGUMENT "%dx"
#endif

struct ProbePoint {
  const char* library;
  const char* function;
  ProbeMeaning meaning;
  HandleIn handle = HandleIn::none;
  const char* fetch = "";  // see TraceEvent
};

inline constexpr const char* kOpenCl = "libOpenCL.so.1";
inline constexpr const char* kLevelZero = "libze_loader.so.1";
inline constexpr const char* kHandles = "handles=+0(" THIRD_ARGUMENT "):x64[32]";
static_assert(Uprobe::kValues == 32);

// Functions that the installed library lacks are not probed: newer loaders have more of them.
// ze_kernel_desc_t is stype, pNext, flags, and pKernelName at 24.
inline constexpr ProbePoint kProbePoints[] = {
    {kOpenCl, "clCreateKernel", ProbeMeaning::create_kernel, HandleIn::result,
     "name=+0(" SECOND_ARGUMENT "):string"},
    {kOpenCl, "clCreateKernel", ProbeMeaning::created},
    // A kernel of clCreateKernelsInProgram has no name until the program asks for it, as it must to
    // know which is which. clSetKernelArg is not probed: it tells no name, and every argument would
    // cost a hit.
    {kOpenCl, "clCloneKernel", ProbeMeaning::clone_kernel, HandleIn::result},
    {kOpenCl, "clCloneKernel", ProbeMeaning::created},
    {kOpenCl, "clGetKernelInfo", ProbeMeaning::ask_kernel},
    {kOpenCl, "clGetKernelInfo", ProbeMeaning::created},
    {kOpenCl, "clRetainKernel", ProbeMeaning::retain_kernel},
    {kOpenCl, "clReleaseKernel", ProbeMeaning::release_kernel},
    {kOpenCl, "clEnqueueNDRangeKernel", ProbeMeaning::launch},
    {kOpenCl, "clEnqueueTask", ProbeMeaning::launch},
    {kLevelZero, "zeKernelCreate", ProbeMeaning::create_kernel, HandleIn::third,
     "name=+0(+24(" SECOND_ARGUMENT ")):string"},
    {kLevelZero, "zeKernelCreate", ProbeMeaning::created},
    {kLevelZero, "zeKernelDestroy", ProbeMeaning::release_kernel},
    {kLevelZero, "zeCommandListCreate", ProbeMeaning::create_list, HandleIn::fourth},
    {kLevelZero, "zeCommandListCreate", ProbeMeaning::created},
    {kLevelZero, "zeCommandListCreateImmediate", ProbeMeaning::create_immediate_list,
     HandleIn::fourth},
    {kLevelZero, "zeCommandListCreateImmediate", ProbeMeaning::created},
    {kLevelZero, "zeCommandListClose", ProbeMeaning::close},
    {kLevelZero, "zeCommandListReset", ProbeMeaning::reset},
    {kLevelZero, "zeCommandListDestroy", ProbeMeaning::destroy},
    {kLevelZero, "zeCommandListAppendLaunchKernel", ProbeMeaning::append},
    {kLevelZero, "zeCommandListAppendLaunchCooperativeKernel", ProbeMeaning::append},
    {kLevelZero, "zeCommandListAppendLaunchKernelIndirect", ProbeMeaning::append},
    {kLevelZero, "zeCommandListAppendLaunchKernelWithParameters", ProbeMeaning::append},
    {kLevelZero, "zeCommandListAppendLaunchKernelWithArguments", ProbeMeaning::append},
    {kLevelZero, "zeCommandListAppendLaunchMultipleKernelsIndirect", ProbeMeaning::append_several,
     HandleIn::none, kHandles},
    {kLevelZero, "zeCommandQueueExecuteCommandLists", ProbeMeaning::execute, HandleIn::none,
     kHandles},
    {kLevelZero, "zeCommandListImmediateAppendCommandListsExp", ProbeMeaning::execute,
     HandleIn::none, kHandles},
};

#undef SECOND_ARGUMENT
#undef THIRD_ARGUMENT

inline bool is_launching(ProbeMeaning meaning) {
  return meaning == ProbeMeaning::launch || meaning == ProbeMeaning::append ||
         meaning == ProbeMeaning::append_several || meaning == ProbeMeaning::execute;
}

}  // namespace aiflame::record
