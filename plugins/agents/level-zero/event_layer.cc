/* SPDX-License-Identifier: MIT
 *
 * The part of the layer that sees when launches ran: what the program does with events, and the
 * calls in which it waits for something. layer.cc has how the layer gets in.
 */
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <cstring>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/level-zero/devices.h"
#include "plugins/agents/level-zero/launch_times.h"
#include "plugins/agents/level-zero/layer.h"
#include "plugins/agents/level-zero/own_events.h"
#include "plugins/agents/level-zero/waits.h"

namespace aiflame::agent::level_zero {
namespace {

// An index into ze_event_pool_dditable_t, since version 1.9.
constexpr size_t kGetFlags = 7;
using GetFlags = ze_result_t (*)(ze_event_pool_handle_t, ze_event_pool_flags_t*);

// What our functions call. Filled in before the program has the tables.
struct Lower {
  ze_context_dditable_t context;
  ze_device_dditable_t device;
  ze_event_pool_dditable_t pool;
  ze_event_dditable_t event;
  ze_fence_dditable_t fence;
  GetFlags get_flags;
};
Lower lower;

// The loader's, as the program calls them.
struct Functions {
  const void *wait_for_event, *wait_for_fence;
};
Functions functions;

// ---- pools --------------------------------------------------------------------------------------

// Whether a pool can have timestamps without the program's knowledge. A pool for other processes
// cannot have any, the host can only read events that it can see, and an extension may ask for
// anything.
bool may_have_timestamps(const ze_event_pool_desc_t* description) {
  constexpr ze_event_pool_flags_t kNone =
      ZE_EVENT_POOL_FLAG_IPC | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
  return description != nullptr && description->pNext == nullptr &&
         (description->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE) != 0 &&
         (description->flags & kNone) == 0;
}

ze_result_t ZE_APICALL create_pool(ze_context_handle_t context,
                                   const ze_event_pool_desc_t* description, uint32_t device_count,
                                   ze_device_handle_t* devices, ze_event_pool_handle_t* pool) {
  if (may_have_timestamps(description) && (begin_report() || awaits_recorder())) {
    ze_event_pool_desc_t changed = *description;
    changed.flags |= ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
    if (lower.pool.pfnCreate(context, &changed, device_count, devices, pool) == ZE_RESULT_SUCCESS) {
      event_pool_created(*pool, changed.flags, true);
      return ZE_RESULT_SUCCESS;
    }
  }
  const ze_result_t result =
      lower.pool.pfnCreate(context, description, device_count, devices, pool);
  if (result == ZE_RESULT_SUCCESS) event_pool_created(*pool, description->flags, false);
  return result;
}

ze_result_t ZE_APICALL destroy_pool(ze_event_pool_handle_t pool) {
  event_pool_destroyed(pool);
  return lower.pool.pfnDestroy(pool);
}

ze_result_t ZE_APICALL get_flags(ze_event_pool_handle_t pool, ze_event_pool_flags_t* flags) {
  const ze_result_t result = lower.get_flags(pool, flags);
  if (result == ZE_RESULT_SUCCESS && hides_timestamps(pool))
    *flags &= ~static_cast<ze_event_pool_flags_t>(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
  return result;
}

// ---- events -------------------------------------------------------------------------------------

ze_result_t ZE_APICALL create_event(ze_event_pool_handle_t pool, const ze_event_desc_t* description,
                                    ze_event_handle_t* event) {
  const ze_result_t result = lower.event.pfnCreate(pool, description, event);
  if (result == ZE_RESULT_SUCCESS) event_created(*event, pool);
  return result;
}

ze_result_t ZE_APICALL destroy_event(ze_event_handle_t event) {
  event_destroyed(event);
  return lower.event.pfnDestroy(event);
}

ze_result_t ZE_APICALL reset_event(ze_event_handle_t event) {
  event_reset(event);
  return lower.event.pfnHostReset(event);
}

ze_result_t ZE_APICALL wait_for_event(ze_event_handle_t event, uint64_t timeout) {
  return take_ended_after(wait_reported(functions.wait_for_event, timeout, [&] {
    return lower.event.pfnHostSynchronize(event, timeout);
  }));
}

ze_result_t ZE_APICALL query_event(ze_event_handle_t event) {
  return take_ended_after(lower.event.pfnQueryStatus(event));
}

// ---- other handles ------------------------------------------------------------------------------

ze_result_t ZE_APICALL wait_for_fence(ze_fence_handle_t fence, uint64_t timeout) {
  return take_ended_after(wait_reported(functions.wait_for_fence, timeout, [&] {
    return lower.fence.pfnHostSynchronize(fence, timeout);
  }));
}

ze_result_t ZE_APICALL query_fence(ze_fence_handle_t fence) {
  return take_ended_after(lower.fence.pfnQueryStatus(fence));
}

ze_result_t ZE_APICALL destroy_context(ze_context_handle_t context) {
  context_destroyed(context);
  return lower.context.pfnDestroy(context);
}

ze_result_t ZE_APICALL get_devices(ze_driver_handle_t driver, uint32_t* count,
                                   ze_device_handle_t* devices) {
  const ze_result_t result = lower.device.pfnGet(driver, count, devices);
  if (result == ZE_RESULT_SUCCESS && devices != nullptr) devices_listed(driver);
  return result;
}

}  // namespace
}  // namespace aiflame::agent::level_zero

EXPORTED ze_result_t ZE_APICALL zeGetEventPoolProcAddrTable(ze_api_version_t version,
                                                            ze_event_pool_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(
      CALLER, version, table, __func__, [&] { set_event_pool_functions(*table); },
      [&] {
        put(table->pfnCreate, lower.pool.pfnCreate, &create_pool);
        put(table->pfnDestroy, lower.pool.pfnDestroy, &destroy_pool);
        if (version >= version_of(1, 9)) put_at(table, kGetFlags, lower.get_flags, &get_flags);
      });
}

EXPORTED ze_result_t ZE_APICALL zeGetEventProcAddrTable(ze_api_version_t version,
                                                        ze_event_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(
      CALLER, version, table, __func__, [&] { set_event_functions(*table); },
      [&] {
        put(table->pfnCreate, lower.event.pfnCreate, &create_event);
        put(table->pfnDestroy, lower.event.pfnDestroy, &destroy_event);
        put(table->pfnHostReset, lower.event.pfnHostReset, &reset_event);
        functions.wait_for_event = loader_function("zeEventHostSynchronize");
        put(table->pfnHostSynchronize, lower.event.pfnHostSynchronize, &wait_for_event);
        put(table->pfnQueryStatus, lower.event.pfnQueryStatus, &query_event);
      });
}

EXPORTED ze_result_t ZE_APICALL zeGetFenceProcAddrTable(ze_api_version_t version,
                                                        ze_fence_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(CALLER, version, table, __func__, keep_nothing, [&] {
    functions.wait_for_fence = loader_function("zeFenceHostSynchronize");
    put(table->pfnHostSynchronize, lower.fence.pfnHostSynchronize, &wait_for_fence);
    put(table->pfnQueryStatus, lower.fence.pfnQueryStatus, &query_fence);
  });
}

EXPORTED ze_result_t ZE_APICALL zeGetContextProcAddrTable(ze_api_version_t version,
                                                          ze_context_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(CALLER, version, table, __func__, keep_nothing,
                    [&] { put(table->pfnDestroy, lower.context.pfnDestroy, &destroy_context); });
}

EXPORTED ze_result_t ZE_APICALL zeGetDeviceProcAddrTable(ze_api_version_t version,
                                                         ze_device_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(
      CALLER, version, table, __func__, [&] { set_device_functions(*table); },
      [&] { put(table->pfnGet, lower.device.pfnGet, &get_devices); });
}
