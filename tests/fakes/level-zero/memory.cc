// SPDX-License-Identifier: MIT
// Memory of the fake Level Zero driver: addresses that nobody touches.
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <map>
#include <mutex>

#include "tests/fakes/level-zero/fake_level_zero.h"

namespace {

struct Block {
  size_t bytes;
  ze_memory_type_t type;
  ze_device_handle_t device;
};
std::mutex mutex;
std::map<uintptr_t, Block> blocks;

ze_result_t allocate(size_t bytes, ze_memory_type_t type, ze_device_handle_t device, void** out) {
  if (bytes == 0) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
  constexpr uintptr_t kFirst = 0x7e0000000000, kStep = 65536;
  const std::lock_guard lock(mutex);
  uintptr_t at = kFirst;
  if (!blocks.empty()) {
    const auto& [address, last] = *blocks.rbegin();
    at = (address + last.bytes + kStep - 1) / kStep * kStep;
  }
  blocks[at] = {bytes, type, device};
  *out = reinterpret_cast<void*>(at);  // NOLINT(performance-no-int-to-ptr)
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL allocate_on_device(ze_context_handle_t, const ze_device_mem_alloc_desc_t*,
                                          size_t bytes, size_t, ze_device_handle_t device,
                                          void** out) {
  return allocate(bytes, ZE_MEMORY_TYPE_DEVICE, device, out);
}

ze_result_t ZE_APICALL allocate_shared(ze_context_handle_t, const ze_device_mem_alloc_desc_t*,
                                       const ze_host_mem_alloc_desc_t*, size_t bytes, size_t,
                                       ze_device_handle_t device, void** out) {
  return allocate(bytes, ZE_MEMORY_TYPE_SHARED, device, out);
}

ze_result_t ZE_APICALL allocate_on_host(ze_context_handle_t, const ze_host_mem_alloc_desc_t*,
                                        size_t bytes, size_t, void** out) {
  return allocate(bytes, ZE_MEMORY_TYPE_HOST, nullptr, out);
}

ze_result_t ZE_APICALL free_memory(ze_context_handle_t, void* memory) {
  const std::lock_guard lock(mutex);
  return blocks.erase(reinterpret_cast<uintptr_t>(memory)) == 1 ? ZE_RESULT_SUCCESS
                                                                : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t ZE_APICALL properties_of(ze_context_handle_t, const void* memory,
                                     ze_memory_allocation_properties_t* out,
                                     ze_device_handle_t* device) {
  const std::lock_guard lock(mutex);
  const auto at = blocks.find(reinterpret_cast<uintptr_t>(memory));
  out->type = at == blocks.end() ? ZE_MEMORY_TYPE_UNKNOWN : at->second.type;
  if (device != nullptr) *device = at == blocks.end() ? nullptr : at->second.device;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL range_of(ze_context_handle_t, const void* memory, void** base,
                                size_t* bytes) {
  const std::lock_guard lock(mutex);
  const auto at = blocks.find(reinterpret_cast<uintptr_t>(memory));
  if (at == blocks.end()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  *base = const_cast<void*>(memory);
  *bytes = at->second.bytes;
  return ZE_RESULT_SUCCESS;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) ze_result_t zeGetMemProcAddrTable(
    ze_api_version_t, ze_mem_dditable_t* table) {
  table->pfnAllocDevice = allocate_on_device;
  table->pfnAllocShared = allocate_shared;
  table->pfnAllocHost = allocate_on_host;
  table->pfnFree = free_memory;
  table->pfnGetAllocProperties = properties_of;
  table->pfnGetAddressRange = range_of;
  return ZE_RESULT_SUCCESS;
}
