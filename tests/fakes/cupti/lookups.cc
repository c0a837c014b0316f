/* SPDX-License-Identifier: MIT */
// What the driver is asked: for the addresses of its functions, and about functions and streams.
#include <cstring>

#include "tests/fakes/cupti/fake_cuda.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED const char* fake_function_name(CUfunction function);
EXPORTED bool fake_is_kernel(CUfunction function);
EXPORTED CUresult CUDAAPI cuLaunchKernel_ptsz(CUfunction, unsigned, unsigned, unsigned, unsigned,
                                              unsigned, unsigned, unsigned, CUstream, void**,
                                              void**);

namespace {

struct Named {
  const char* name;
  void *function, *per_thread;  // for a default stream per thread; null where there is none
};

template <typename Function>
void* address_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

CUresult find(const char* name, void** out, uint64_t flags) {
  static const Named kNames[] = {
      {"cuInit", address_of(cuInit), nullptr},
      {"cuLaunchKernel", address_of(cuLaunchKernel), address_of(cuLaunchKernel_ptsz)},
      {"cuLaunchKernelEx", address_of(cuLaunchKernelEx), nullptr},
      {"cuLaunchCooperativeKernel", address_of(cuLaunchCooperativeKernel), nullptr},
      {"cuGraphLaunch", address_of(cuGraphLaunch), nullptr},
  };
  const bool is_per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  *out = nullptr;
  for (const Named& one : kNames)
    if (std::strcmp(one.name, name) == 0)
      *out = is_per_thread && one.per_thread != nullptr ? one.per_thread : one.function;
  return *out == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

}  // namespace

// CUDA's headers declare these two differently from version to version.
EXPORTED CUresult CUDAAPI address_v1(const char* name, void** out, int version,
                                     uint64_t flags) __asm__("cuGetProcAddress");
CUresult CUDAAPI address_v1(const char* name, void** out, int, uint64_t flags) {
  return find(name, out, flags);
}
EXPORTED CUresult CUDAAPI address_v2(const char* name, void** out, int version, uint64_t flags,
                                     int* status) __asm__("cuGetProcAddress_v2");
CUresult CUDAAPI address_v2(const char* name, void** out, int version, uint64_t flags,
                            int* status) {
  // the second version is found under the name of the first one
  if (std::strcmp(name, "cuGetProcAddress") == 0)
    *out = version >= 12000 ? address_of(address_v2) : address_of(address_v1);
  else if (find(name, out, flags) != CUDA_SUCCESS)
    return CUDA_ERROR_NOT_FOUND;
  if (status != nullptr) *status = 0;
  return CUDA_SUCCESS;
}

// With no_names=1 the driver is of CUDA 12.2.
EXPORTED CUresult CUDAAPI name_of(const char** out, CUfunction function) __asm__("cuFuncGetName");
CUresult CUDAAPI name_of(const char** out, CUfunction function) {
  if (function == nullptr || fake_is_kernel(function) || fake_cuda::knob("no_names") != 0)
    return CUDA_ERROR_INVALID_VALUE;
  *out = fake_function_name(function);
  return CUDA_SUCCESS;
}
EXPORTED CUresult CUDAAPI name_of_kernel(const char** out,
                                         CUfunction kernel) __asm__("cuKernelGetName");
CUresult CUDAAPI name_of_kernel(const char** out, CUfunction kernel) {
  if (!fake_is_kernel(kernel) || fake_cuda::knob("no_names") != 0) return CUDA_ERROR_INVALID_VALUE;
  *out = fake_function_name(kernel);
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuDeviceGetCount(int* out) {
  *out = 2;
  return CUDA_SUCCESS;
}

// The stand-in captures whatever is launched.
EXPORTED CUresult CUDAAPI cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* out) {
  *out =
      fake_cuda::is_capturing() ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
EXPORTED CUresult CUDAAPI cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus* out) {
  return cuStreamIsCapturing(stream, out);
}
