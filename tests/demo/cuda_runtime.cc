// SPDX-License-Identifier: MIT
// The stand-in for the static CUDA runtime; see tests/fakes/cupti/cuda_runtime.h.
#include "tests/fakes/cupti/cuda_runtime.h"

#include <cupti_runtime_cbid.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

extern "C" {
void* fake_call_enter(unsigned id, const char* name, const char* symbol, const void* params);
void fake_call_leave(void* call, int result);
const char* fake_function_name(CUfunction function);
}

namespace {

// As the real runtime, it opens the driver and asks it for its functions.
void* find_in_driver(const char* name, uint64_t flags) {
  using Find = int (*)(const char*, void**, int, uint64_t, int*);
  static const auto find = reinterpret_cast<Find>(
      dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "cuGetProcAddress_v2"));
  void* found = nullptr;
  int status = 0;
  if (find == nullptr || find(name, &found, 12030, flags, &status) != 0) {
    std::fprintf(stderr, "the driver has no %s\n", name);
    std::abort();
  }
  return found;
}

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

// by number: they are CUDA 13's, and headers of CUDA 12 do not have their names
constexpr unsigned kLaunch13 = 505, kPerThread = 506;

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
  static const auto launch =
      reinterpret_cast<decltype(&cuLaunchKernel)>(find_in_driver("cuLaunchKernel", 0));
  static const auto launch_ptsz = reinterpret_cast<decltype(&cuLaunchKernel)>(
      find_in_driver("cuLaunchKernel", CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
  const auto launch_it = id == kPerThread ? launch_ptsz : launch;
  const int result = launch_it(function, microseconds, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
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
FAKE_LAUNCH(__cudaLaunchKernel, kLaunch13)
FAKE_LAUNCH(__cudaLaunchKernel_ptsz, kPerThread)
FAKE_LAUNCH(cudaLaunchKernel, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000)
FAKE_LAUNCH(cudaLaunchKernelExC, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060)
FAKE_LAUNCH(cudaLaunchCooperativeKernel, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000)

extern "C" int cudaGraphLaunch(CUgraphExec graph) {
  void* call = fake_call_enter(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, "cudaGraphLaunch",
                               nullptr, nullptr);
  static const auto launch =
      reinterpret_cast<decltype(&cuGraphLaunch)>(find_in_driver("cuGraphLaunch", 0));
  const int result = launch(graph, nullptr);
  fake_call_leave(call, result);
  return result;
}
