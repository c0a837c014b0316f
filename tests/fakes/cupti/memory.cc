/* SPDX-License-Identifier: MIT */
// The driver's memory: addresses that nobody touches, with their sizes.
#include <cuda.h>
#include <cupti.h>

#include <map>
#include <mutex>

#include "tests/fakes/cupti/fake_cuda.h"

namespace fake_cuda {
namespace {

std::mutex mutex;
std::map<CUdeviceptr, size_t> blocks;

// The lowest address that is free, as allocators do it: it is soon used again.
CUdeviceptr allocate(size_t bytes) {
  constexpr CUdeviceptr kFirst = 0x7f0000000000, kStep = 512;
  const std::lock_guard lock(mutex);
  CUdeviceptr at = kFirst;
  for (const auto& [address, size] : blocks) {
    if (address - at >= bytes) break;
    at = (address + size + kStep - 1) / kStep * kStep;
  }
  blocks[at] = bytes;
  return at;
}

CUresult release(CUdeviceptr address) {
  const std::lock_guard lock(mutex);
  return address == 0 || blocks.erase(address) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace
}  // namespace fake_cuda

using fake_cuda::Call;

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define CALL(name, params) \
  Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_##name, #name, nullptr, params)

EXPORTED CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) {
  const cuMemAlloc_v2_params params = {out, bytes};
  CALL(cuMemAlloc_v2, &params);
  if (bytes == 0) return static_cast<CUresult>(call.result = CUDA_ERROR_INVALID_VALUE);
  *out = fake_cuda::allocate(bytes);
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned flags) {
  const cuMemAllocManaged_params params = {out, bytes, flags};
  CALL(cuMemAllocManaged, &params);
  *out = fake_cuda::allocate(bytes);
  return CUDA_SUCCESS;
}

// Rows begin at multiples of 512 bytes.
EXPORTED CUresult CUDAAPI cuMemAllocPitch_v2(CUdeviceptr* out, size_t* pitch, size_t width,
                                             size_t height, unsigned element) {
  const cuMemAllocPitch_v2_params params = {out, pitch, width, height, element};
  CALL(cuMemAllocPitch_v2, &params);
  *pitch = (width + 511) / 512 * 512;
  *out = fake_cuda::allocate(*pitch * height);
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
  const cuMemAllocAsync_params params = {out, bytes, stream};
  CALL(cuMemAllocAsync, &params);
  fake_cuda::capture_memory(CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  *out = fake_cuda::allocate(bytes);
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes, CUmemoryPool pool,
                                                  CUstream stream) {
  const cuMemAllocFromPoolAsync_params params = {out, bytes, pool, stream};
  CALL(cuMemAllocFromPoolAsync, &params);
  fake_cuda::capture_memory(CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  *out = fake_cuda::allocate(bytes);
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuMemFree_v2(CUdeviceptr address) {
  const cuMemFree_v2_params params = {address};
  CALL(cuMemFree_v2, &params);
  const CUresult result = fake_cuda::release(address);
  call.result = result;
  return result;
}

EXPORTED CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  const cuMemFreeAsync_params params = {address, stream};
  CALL(cuMemFreeAsync, &params);
  fake_cuda::capture_memory(CU_GRAPH_NODE_TYPE_MEM_FREE);
  const CUresult result = fake_cuda::release(address);
  call.result = result;
  return result;
}

EXPORTED CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle* out, size_t bytes,
                                      const CUmemAllocationProp* properties,
                                      unsigned long long flags) {
  const cuMemCreate_params params = {out, bytes, properties, flags};
  CALL(cuMemCreate, &params);
  *out = 1;
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes,
                                                  CUdeviceptr address) {
  const std::lock_guard lock(fake_cuda::mutex);
  auto at = fake_cuda::blocks.upper_bound(address);
  if (at == fake_cuda::blocks.begin()) return CUDA_ERROR_NOT_FOUND;
  --at;
  if (address - at->first >= at->second) return CUDA_ERROR_NOT_FOUND;
  *base = at->first;
  *bytes = at->second;
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuCtxGetDevice(CUdevice* out) {
  const auto* context = fake_cuda::current_context();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *out = static_cast<CUdevice>(context->device);
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuDeviceTotalMem_v2(size_t* out, CUdevice device) {
  *out = fake_cuda::knob("memory", size_t{80} << 30) + static_cast<size_t>(device);
  return CUDA_SUCCESS;
}
