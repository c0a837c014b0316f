/* SPDX-License-Identifier: MIT
 *
 * The part of the layer that sees launches: what is appended to command lists, and their execution.
 * layer.cc installs the layer.
 */
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/busy.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/clock.h"
#include "plugins/agents/common/thread_room.h"
#include "plugins/agents/level-zero/command_lists.h"
#include "plugins/agents/level-zero/copies.h"
#include "plugins/agents/level-zero/devices.h"
#include "plugins/agents/level-zero/launch_times.h"
#include "plugins/agents/level-zero/launches.h"
#include "plugins/agents/level-zero/layer.h"
#include "plugins/agents/level-zero/modules.h"
#include "plugins/agents/level-zero/waits.h"

// since 1.9 in ze_ddi.h, which then also declares the function that fills it
struct _ze_command_list_exp_dditable_t;  // NOLINT(bugprone-reserved-identifier): Level Zero's name

namespace aiflame::agent::level_zero {
namespace {

// ---- newer than the headers of 1.4 (Debian 12's) ------------------------------------------------

// In Level Zero's ze_ddi.h entries are only ever added at the end of a table, each with the version
// that added it. These are indices into ze_command_list_dditable_t …
constexpr size_t kHostSynchronize = 28,                     // 1.6
    kLaunchWithParameters = 36, kLaunchWithArguments = 37,  // 1.14
    kAppendListsWithParameters = 40;                        // 1.16
static_assert(offsetof(ze_command_list_dditable_t, pfnAppendImageCopyFromMemoryExt) ==
              27 * sizeof(void*));
// … and in _ze_command_list_exp_dditable_t
constexpr size_t kCreateCloneExp = 0, kAppendListsExp = 1;  // 1.9

struct GroupSize {  // ze_group_size_t
  uint32_t x, y, z;
};
using LaunchWithParameters = ze_result_t (*)(ze_command_list_handle_t, ze_kernel_handle_t,
                                             const ze_group_count_t*, const void*,
                                             ze_event_handle_t, uint32_t, ze_event_handle_t*);
using LaunchWithArguments = ze_result_t (*)(ze_command_list_handle_t, ze_kernel_handle_t,
                                            ze_group_count_t, GroupSize, void**, const void*,
                                            ze_event_handle_t, uint32_t, ze_event_handle_t*);
using AppendListsExp = ze_result_t (*)(ze_command_list_handle_t, uint32_t,
                                       ze_command_list_handle_t*, ze_event_handle_t, uint32_t,
                                       ze_event_handle_t*);
using AppendListsWithParameters = ze_result_t (*)(ze_command_list_handle_t, uint32_t,
                                                  ze_command_list_handle_t*, const void*,
                                                  ze_event_handle_t, uint32_t, ze_event_handle_t*);
using HostSynchronize = ze_result_t (*)(ze_command_list_handle_t, uint64_t);
using CreateCloneExp = ze_result_t (*)(ze_command_list_handle_t, ze_command_list_handle_t*);

// What our functions call. Filled in before the program has the tables.
struct Lower {
  ze_command_queue_dditable_t queue;
  ze_command_list_dditable_t list;
  decltype(ze_driver_dditable_t::pfnGetExtensionFunctionAddress) get_extension;
  HostSynchronize host_synchronize;
  LaunchWithParameters launch_with_parameters;
  LaunchWithArguments launch_with_arguments;
  AppendListsWithParameters append_lists_with_parameters;
  AppendListsExp append_lists_exp;
  CreateCloneExp create_clone_exp;
};
Lower lower;

// The loader's functions, as the program calls them.
struct Api {
  const void *launch, *launch_cooperative, *launch_indirect, *launch_multiple, *execute,
      *launch_with_parameters, *launch_with_arguments, *append_lists, *append_lists_with_parameters,
      *wait_for_list, *wait_for_queue;
};
Api api;

ze_result_t ZE_APICALL get_extension(ze_driver_handle_t driver, const char* name, void** address) {
  const ze_result_t result = lower.get_extension(driver, name, address);
  if (result == ZE_RESULT_SUCCESS && name != nullptr && address != nullptr)
    wrap_extension(driver, lower.get_extension, name, address);
  return result;
}

// ---- launches -----------------------------------------------------------------------------------

// The kernel, and how many work-items `groups` of it have; null where only the device knows.
Kernel kernel_in_groups(ze_kernel_handle_t handle, const ze_group_count_t* groups) {
  Kernel kernel = find_kernel(handle);
  const uint32_t* group = kernel.size.group;
  if (groups == nullptr || group[0] == 0) return kernel;
  const uint32_t counts[] = {groups->groupCountX, groups->groupCountY, groups->groupCountZ};
  for (int i = 0; i < 3; ++i) kernel.size.items[i] = uint64_t{counts[i]} * group[i];
  return kernel;
}

// launch_kernels() for kernels with handles. `groups` as above.
template <typename Append>
ze_result_t launch(ze_command_list_handle_t list, uint32_t count, ze_kernel_handle_t* kernels,
                   const ze_group_count_t* groups, ze_event_handle_t signal, uint32_t wait_count,
                   const void* function, Append append) {
  Destination to{};
  if (kernels == nullptr || !is_seen(list, to)) return append(signal);
  const auto kernel_at = [kernels, groups](uint32_t i) {
    return kernel_in_groups(kernels[i], groups);
  };
  return launch_kernels(list, to, count, kernel_at, signal, wait_count, function, append);
}

// zeCommandListAppendLaunchKernel and its twins with the same parameters. `kLower` is the
// function's entry in the table, `kFunction` its place in `api`.
template <auto kLower, const void* Api::*kFunction>
ze_result_t ZE_APICALL append_kernel(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                     const ze_group_count_t* groups, ze_event_handle_t signal,
                                     uint32_t wait_count, ze_event_handle_t* wait) {
  // of an indirect launch, the device reads the groups from its memory
  constexpr bool kIsIndirect = kFunction == &Api::launch_indirect;
  const ze_group_count_t* known = kIsIndirect ? nullptr : groups;
  return launch(list, 1, &kernel, known, signal, wait_count, api.*kFunction,
                [&](ze_event_handle_t event) {
                  return (lower.list.*kLower)(list, kernel, groups, event, wait_count, wait);
                });
}

template <auto kLower, const void* Api::*kFunction>
void wrap_append(ze_command_list_dditable_t& table) {
  put(table.*kLower, lower.list.*kLower, &append_kernel<kLower, kFunction>);
}

// The device reads from its memory how many of the kernels to run, so `count` is an upper bound.
ze_result_t ZE_APICALL append_multiple(ze_command_list_handle_t list, uint32_t count,
                                       ze_kernel_handle_t* kernels, const uint32_t* used,
                                       const ze_group_count_t* groups, ze_event_handle_t signal,
                                       uint32_t wait_count, ze_event_handle_t* wait) {
  return launch(list, count, kernels, nullptr, signal, wait_count, api.launch_multiple,
                [&](ze_event_handle_t event) {
                  return lower.list.pfnAppendLaunchMultipleKernelsIndirect(
                      list, count, kernels, used, groups, event, wait_count, wait);
                });
}

ze_result_t ZE_APICALL append_with_parameters(ze_command_list_handle_t list,
                                              ze_kernel_handle_t kernel,
                                              const ze_group_count_t* groups, const void* next,
                                              ze_event_handle_t signal, uint32_t wait_count,
                                              ze_event_handle_t* wait) {
  return launch(list, 1, &kernel, groups, signal, wait_count, api.launch_with_parameters,
                [&](ze_event_handle_t event) {
                  return lower.launch_with_parameters(list, kernel, groups, next, event, wait_count,
                                                      wait);
                });
}

ze_result_t ZE_APICALL append_with_arguments(ze_command_list_handle_t list,
                                             ze_kernel_handle_t kernel, ze_group_count_t groups,
                                             GroupSize sizes, void** arguments, const void* next,
                                             ze_event_handle_t signal, uint32_t wait_count,
                                             ze_event_handle_t* wait) {
  // the call sets it for later ones, too
  group_size_set(kernel, sizes.x, sizes.y, sizes.z);
  return launch(list, 1, &kernel, &groups, signal, wait_count, api.launch_with_arguments,
                [&](ze_event_handle_t event) {
                  return lower.launch_with_arguments(list, kernel, groups, sizes, arguments, next,
                                                     event, wait_count, wait);
                });
}

ze_result_t ZE_APICALL submit_lists(ze_command_queue_handle_t queue, uint32_t count,
                                    ze_command_list_handle_t* lists, ze_fence_handle_t fence) {
  return execute_lists(count, lists, {api.execute, nullptr, 0}, [&] {
    return lower.queue.pfnExecuteCommandLists(queue, count, lists, fence);
  });
}

ze_result_t ZE_APICALL append_lists(ze_command_list_handle_t immediate, uint32_t count,
                                    ze_command_list_handle_t* lists, ze_event_handle_t signal,
                                    uint32_t wait_count, ze_event_handle_t* wait) {
  return execute_lists_on(
      immediate, count, lists, kListsInGraphs, {api.append_lists, nullptr, 0},
      [&] { return lower.append_lists_exp(immediate, count, lists, signal, wait_count, wait); });
}

ze_result_t ZE_APICALL append_lists_with_parameters(ze_command_list_handle_t immediate,
                                                    uint32_t count, ze_command_list_handle_t* lists,
                                                    const void* next, ze_event_handle_t signal,
                                                    uint32_t wait_count, ze_event_handle_t* wait) {
  return execute_lists_on(immediate, count, lists, kListsInGraphs,
                          {api.append_lists_with_parameters, nullptr, 0}, [&] {
                            return lower.append_lists_with_parameters(immediate, count, lists, next,
                                                                      signal, wait_count, wait);
                          });
}

// ---- handles ------------------------------------------------------------------------------------

ze_result_t ZE_APICALL create_list(ze_context_handle_t context, ze_device_handle_t device,
                                   const ze_command_list_desc_t* description,
                                   ze_command_list_handle_t* list) {
  const ze_result_t result = lower.list.pfnCreate(context, device, description, list);
  if (result == ZE_RESULT_SUCCESS)
    // a list made through an extension may have mutable commands: no event of ours is put in
    list_created(
        *list, {description->pNext == nullptr ? context : nullptr, find_device(device), nullptr,
                false, is_copy_engine(find_device(device), description->commandQueueGroupOrdinal)});
  return result;
}

ze_result_t ZE_APICALL create_immediate(ze_context_handle_t context, ze_device_handle_t device,
                                        const ze_command_queue_desc_t* description,
                                        ze_command_list_handle_t* list) {
  const ze_result_t result = lower.list.pfnCreateImmediate(context, device, description, list);
  if (result == ZE_RESULT_SUCCESS)
    list_created(*list, {context, find_device(device), nullptr, true,
                         is_copy_engine(find_device(device), description->ordinal)});
  return result;
}

ze_result_t ZE_APICALL clone_list(ze_command_list_handle_t from, ze_command_list_handle_t* to) {
  const ze_result_t result = lower.create_clone_exp(from, to);
  if (result == ZE_RESULT_SUCCESS) list_cloned(from, *to);
  return result;
}

ze_result_t ZE_APICALL reset_list(ze_command_list_handle_t list) {
  const ze_result_t result = lower.list.pfnReset(list);
  if (result == ZE_RESULT_SUCCESS) list_reset(list);
  return result;
}

// Forgets the handle first: afterwards another thread may get the same one.
ze_result_t ZE_APICALL destroy_list(ze_command_list_handle_t list) {
  if (is_capture_open()) end_capture_of(list);
  list_destroyed(list);
  return lower.list.pfnDestroy(list);
}

ze_result_t ZE_APICALL wait_for_list(ze_command_list_handle_t list, uint64_t timeout) {
  return take_ended_after(wait_reported(api.wait_for_list, timeout,
                                        [&] { return lower.host_synchronize(list, timeout); }));
}

ze_result_t ZE_APICALL wait_for_queue(ze_command_queue_handle_t queue, uint64_t timeout) {
  return take_ended_after(wait_reported(
      api.wait_for_queue, timeout, [&] { return lower.queue.pfnSynchronize(queue, timeout); }));
}

ze_result_t ZE_APICALL append_reset(ze_command_list_handle_t list, ze_event_handle_t event) {
  event_reset_by_device(event);
  return lower.list.pfnAppendEventReset(list, event);
}

}  // namespace

void find_launch_functions() {
  api.launch = loader_function("zeCommandListAppendLaunchKernel");
  api.launch_cooperative = loader_function("zeCommandListAppendLaunchCooperativeKernel");
  api.launch_indirect = loader_function("zeCommandListAppendLaunchKernelIndirect");
  api.launch_multiple = loader_function("zeCommandListAppendLaunchMultipleKernelsIndirect");
  api.execute = loader_function("zeCommandQueueExecuteCommandLists");
  api.launch_with_parameters = loader_function("zeCommandListAppendLaunchKernelWithParameters");
  api.launch_with_arguments = loader_function("zeCommandListAppendLaunchKernelWithArguments");
  api.append_lists = loader_function("zeCommandListImmediateAppendCommandListsExp");
  api.wait_for_list = loader_function("zeCommandListHostSynchronize");
  api.wait_for_queue = loader_function("zeCommandQueueSynchronize");
  api.append_lists_with_parameters =
      loader_function("zeCommandListImmediateAppendCommandListsWithParameters");
  find_graph_functions();
  find_copy_functions();
}

}  // namespace aiflame::agent::level_zero

EXPORTED ze_result_t ZE_APICALL zeGetCommandQueueProcAddrTable(ze_api_version_t version,
                                                               ze_command_queue_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(CALLER, version, table, __func__, keep_nothing, [&] {
    put(table->pfnExecuteCommandLists, lower.queue.pfnExecuteCommandLists, &submit_lists);
    put(table->pfnSynchronize, lower.queue.pfnSynchronize, &wait_for_queue);
  });
}

EXPORTED ze_result_t ZE_APICALL zeGetCommandListProcAddrTable(ze_api_version_t version,
                                                              ze_command_list_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  using Table = ze_command_list_dditable_t;
  return fill_table(CALLER, version, table, __func__, keep_nothing, [&] {
    put(table->pfnCreate, lower.list.pfnCreate, &create_list);
    put(table->pfnCreateImmediate, lower.list.pfnCreateImmediate, &create_immediate);
    put(table->pfnDestroy, lower.list.pfnDestroy, &destroy_list);
    put(table->pfnReset, lower.list.pfnReset, &reset_list);
    put(table->pfnAppendEventReset, lower.list.pfnAppendEventReset, &append_reset);
    wrap_append<&Table::pfnAppendLaunchKernel, &Api::launch>(*table);
    wrap_append<&Table::pfnAppendLaunchCooperativeKernel, &Api::launch_cooperative>(*table);
    wrap_append<&Table::pfnAppendLaunchKernelIndirect, &Api::launch_indirect>(*table);
    put(table->pfnAppendLaunchMultipleKernelsIndirect,
        lower.list.pfnAppendLaunchMultipleKernelsIndirect, &append_multiple);
    put_copy_functions(version, *table);
    if (version >= version_of(1, 6))
      put_at(table, kHostSynchronize, lower.host_synchronize, &wait_for_list);
    if (version >= version_of(1, 14)) {
      put_at(table, kLaunchWithParameters, lower.launch_with_parameters, &append_with_parameters);
      put_at(table, kLaunchWithArguments, lower.launch_with_arguments, &append_with_arguments);
    }
    if (version >= version_of(1, 16))
      put_at(table, kAppendListsWithParameters, lower.append_lists_with_parameters,
             &append_lists_with_parameters);
    if (version >= version_of(1, 17)) put_graph_functions(*table);
  });
}

EXPORTED ze_result_t ZE_APICALL
zeGetCommandListExpProcAddrTable(ze_api_version_t version, _ze_command_list_exp_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(CALLER, version, table, __func__, keep_nothing, [&] {
    if (version < version_of(1, 9)) return;
    put_at(table, kCreateCloneExp, lower.create_clone_exp, &clone_list);
    put_at(table, kAppendListsExp, lower.append_lists_exp, &append_lists);
  });
}

EXPORTED ze_result_t ZE_APICALL zeGetDriverProcAddrTable(ze_api_version_t version,
                                                         ze_driver_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(CALLER, version, table, __func__, keep_nothing, [&] {
    put(table->pfnGetExtensionFunctionAddress, lower.get_extension, &get_extension);
  });
}
