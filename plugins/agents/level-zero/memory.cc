/* SPDX-License-Identifier: MIT
 *
 * Allocations and frees of device memory, and of memory that devices and the host share, for
 * --memory. That of the host alone is none of a device.
 */
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <cerrno>
#include <cstddef>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/range_agent.h"
#include "plugins/agents/common/thread_room.h"
#include "plugins/agents/level-zero/devices.h"
#include "plugins/agents/level-zero/layer.h"

namespace aiflame::agent::level_zero {
namespace {

// What our functions call.
ze_mem_dditable_t lower;

constexpr char kAllocDevice[] = "zeMemAllocDevice", kAllocShared[] = "zeMemAllocShared";
const void *alloc_device_function, *alloc_shared_function;  // in the loader

void report(const ApiFunction& function, ze_device_handle_t device, const void* address,
            size_t bytes) {
  if (!begin_layer_memory_report()) return;
  Allocation made{};
  const OffStack<FrontText> front;
  set_call(made, function, "[level-zero]", front);
  // shared memory may be of no device in particular
  made.device = device == nullptr ? 0 : device_number(find_device(device));
  made.address = reinterpret_cast<uint64_t>(address);
  made.bytes = bytes;
  report_allocation(made);
}

ze_result_t ZE_APICALL alloc_device(ze_context_handle_t context,
                                    const ze_device_mem_alloc_desc_t* description, size_t bytes,
                                    size_t alignment, ze_device_handle_t device, void** memory) {
  const ze_result_t result =
      lower.pfnAllocDevice(context, description, bytes, alignment, device, memory);
  if (result == ZE_RESULT_SUCCESS)
    report({kAllocDevice, alloc_device_function}, device, *memory, bytes);
  return result;
}

ze_result_t ZE_APICALL alloc_shared(ze_context_handle_t context,
                                    const ze_device_mem_alloc_desc_t* on_device,
                                    const ze_host_mem_alloc_desc_t* on_host, size_t bytes,
                                    size_t alignment, ze_device_handle_t device, void** memory) {
  const ze_result_t result =
      lower.pfnAllocShared(context, on_device, on_host, bytes, alignment, device, memory);
  if (result == ZE_RESULT_SUCCESS)
    report({kAllocShared, alloc_shared_function}, device, *memory, bytes);
  return result;
}

// Of which kind the memory is, and of which device, Level Zero knows.
void report_free_of(ze_context_handle_t context, void* memory) {
  const int saved_errno = errno;
  ze_memory_allocation_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
  ze_device_handle_t device = nullptr;
  void* base = nullptr;
  size_t bytes = 0;
  if (memory != nullptr && begin_memory_report() &&
      lower.pfnGetAllocProperties(context, memory, &properties, &device) == ZE_RESULT_SUCCESS &&
      (properties.type == ZE_MEMORY_TYPE_DEVICE || properties.type == ZE_MEMORY_TYPE_SHARED)) {
    if (lower.pfnGetAddressRange(context, memory, &base, &bytes) != ZE_RESULT_SUCCESS ||
        base != memory)
      bytes = 0;
    report_free(device == nullptr ? 0 : device_number(find_device(device)),
                reinterpret_cast<uint64_t>(memory), bytes);
  }
  errno = saved_errno;
}

ze_result_t ZE_APICALL free_memory(ze_context_handle_t context, void* memory) {
  report_free_of(context, memory);
  return lower.pfnFree(context, memory);
}

ze_result_t ZE_APICALL free_memory_ext(ze_context_handle_t context,
                                       const ze_memory_free_ext_desc_t* description, void* memory) {
  report_free_of(context, memory);
  return lower.pfnFreeExt(context, description, memory);
}

}  // namespace
}  // namespace aiflame::agent::level_zero

EXPORTED ze_result_t ZE_APICALL zeGetMemProcAddrTable(ze_api_version_t version,
                                                      ze_mem_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  using aiflame::agent::is_memory_wanted;
  const auto keep = [&] {
    lower.pfnGetAllocProperties = table->pfnGetAllocProperties;
    lower.pfnGetAddressRange = table->pfnGetAddressRange;
  };
  return fill_table(CALLER, version, table, __func__, keep, [&] {
    if (!is_memory_wanted() || lower.pfnGetAllocProperties == nullptr ||
        lower.pfnGetAddressRange == nullptr)
      return;
    alloc_device_function = loader_function(kAllocDevice);
    alloc_shared_function = loader_function(kAllocShared);
    put(table->pfnAllocDevice, lower.pfnAllocDevice, &alloc_device);
    put(table->pfnAllocShared, lower.pfnAllocShared, &alloc_shared);
    put(table->pfnFree, lower.pfnFree, &free_memory);
    put(table->pfnFreeExt, lower.pfnFreeExt, &free_memory_ext);
  });
}
