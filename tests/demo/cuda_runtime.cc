// SPDX-License-Identifier: MIT
// The stand-in for the static CUDA runtime; see tests/fakes/cupti/cuda_runtime.h.
#include "tests/fakes/cupti/cuda_runtime.h"

#include <cupti_runtime_cbid.h>

extern "C" {
void* fake_call_enter(unsigned id, const char* name, const char* symbol, const void* params);
void fake_call_leave(void* call, int result);
const char* fake_function_name(CUfunction function);
}

namespace {

// As cudaLaunchKernel_v7000_params and cudaLaunchConfig_t begin.
struct Arguments {
  const void* function;
  unsigned grid[3], block[3];
  const void* arguments;
  size_t shared_bytes;
  void* stream;
};
struct Configuration {
  unsigned grid[3], block[3];
  size_t shared_bytes;
};

// The real runtime's own functions, too, lie between the one that the program called and the
// driver.
[[gnu::noinline]] int launch_inside(unsigned id, const char* name, CUfunction function,
                                    unsigned microseconds) {
  // cudaLaunchKernelExC() takes its configuration first
  const bool is_second = id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060;
  // the runtime knows a kernel by an address in the program, not by a handle of the driver
  const void* host = reinterpret_cast<const char*>(function) + 8;
  const Configuration configuration = {{microseconds, 1, 1}, {64, 2, 1}, 4096};
  const Arguments first = {host, {microseconds, 1, 1}, {64, 2, 1}, nullptr, 4096, nullptr};
  const void* const second[] = {&configuration, host};
  void* call = fake_call_enter(id, name, fake_function_name(function),
                               is_second ? static_cast<const void*>(second) : &first);
  const int result =
      cuLaunchKernel(function, microseconds, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  fake_call_leave(call, result);
  return result;
}

}  // namespace

#define FAKE_LAUNCH(name, id)                                                         \
  extern "C" [[gnu::noinline]] int name(CUfunction function, unsigned microseconds) { \
    const int result = launch_inside(id, #name, function, microseconds);              \
    asm volatile("" ::: "memory");                                                    \
    return result;                                                                    \
  }
// given by number: it is CUDA 13's, and headers of CUDA 12 do not have its name
FAKE_LAUNCH(__cudaLaunchKernel, 505)
FAKE_LAUNCH(__cudaLaunchKernel_ptsz, 506)
FAKE_LAUNCH(cudaLaunchKernel, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000)
FAKE_LAUNCH(cudaLaunchKernelExC, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060)
FAKE_LAUNCH(cudaLaunchCooperativeKernel, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000)

extern "C" int cudaGraphLaunch(CUgraphExec graph) {
  void* call = fake_call_enter(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, "cudaGraphLaunch",
                               nullptr, nullptr);
  const int result = cuGraphLaunch(graph, nullptr);
  fake_call_leave(call, result);
  return result;
}
