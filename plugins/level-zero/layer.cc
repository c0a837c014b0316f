/* SPDX-License-Identifier: MIT
 *
 * The Level Zero agent: a layer that the loader puts between the program and its drivers. It tells
 * gpustall-record of each kernel launch with the CPU stack that made it, and of the code on the
 * device.
 *
 * How it gets there: with ZE_ENABLE_TRACING_LAYER=1 the loader opens libze_tracing_layer.so.1 by
 * that name and hands it the tables of functions that the program's calls go through, one call
 * zeGet…ProcAddrTable for each table, to put its own in. gpustall-record makes LD_LIBRARY_PATH lead
 * to this library under that name, and this library hands on to the real layer. So it is loaded
 * where Level Zero is, into no other program, and however the program got the loader: linked,
 * opened at run time or with the loader's front linked statically. The public tracing interface
 * (zelTracerCreate) does the same to the same tables, but can only be asked for after zeInit() by
 * code that is in the process already.
 *
 *   program -> loader's front -> this layer -> real tracing layer -> loader's back -> driver
 *
 * What the agent itself asks goes to the loader's back.
 */
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/zet_ddi.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "plugins/agent/channel.h"
#include "plugins/agent_channel.h"
#include "plugins/level-zero/command_lists.h"
#include "plugins/level-zero/modules.h"
#include "plugins/level-zero/next_layer.h"

namespace aiflame::agent {
namespace {

// ---- what is newer than the headers of 1.4 (Debian 12's) ---------------------------------------

// Level Zero's ze_ddi.h: entries are only ever added at a table's end, each with the version of the
// interface that has it. These are places in ze_command_list_dditable_t …
constexpr size_t kLaunchWithParameters = 36, kLaunchWithArguments = 37,  // 1.14
    kAppendListsWithParameters = 40;                                     // 1.16
static_assert(offsetof(ze_command_list_dditable_t, pfnAppendImageCopyFromMemoryExt) ==
              27 * sizeof(void*));
// … and in ze_command_list_exp_dditable_t
constexpr size_t kCreateCloneExp = 0, kAppendListsExp = 1;  // 1.9

constexpr ze_api_version_t version_of(uint32_t major, uint32_t minor) {
  return static_cast<ze_api_version_t>(major << 16 | minor);
}

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
using CreateCloneExp = ze_result_t (*)(ze_command_list_handle_t, ze_command_list_handle_t*);

// What the wrapped functions go on to. Filled in before the program has the tables.
struct Lower {
  ze_module_dditable_t module;
  ze_kernel_dditable_t kernel;
  ze_command_queue_dditable_t queue;
  ze_command_list_dditable_t list;
  LaunchWithParameters launch_with_parameters;
  LaunchWithArguments launch_with_arguments;
  AppendListsWithParameters append_lists_with_parameters;
  AppendListsExp append_lists_exp;
  CreateCloneExp create_clone_exp;
};
Lower lower;

// As the program calls them, in the loader.
struct Api {
  const void *launch, *launch_cooperative, *launch_indirect, *launch_multiple, *execute,
      *launch_with_parameters, *launch_with_arguments, *append_lists, *append_lists_with_parameters;
};
Api api;
void* loader = nullptr;

std::atomic<uint32_t> told_generation{0};

// active(), and in a forked child what its recorder does not know.
bool is_reporting() {
  if (!active()) return false;
  const uint32_t now = generation();
  uint32_t told = told_generation.load(std::memory_order_relaxed);
  if (told != now && told_generation.compare_exchange_strong(told, now)) tell_modules_again();
  return true;
}

// ---- launches ----------------------------------------------------------------------------------

Launch launch_of(const Kernel& kernel) {
  Launch launch{};
  launch.kernel_name = kernel.name;
  launch.kernel_name_bytes = kernel.name_bytes;
  launch.object = kernel.object;
  return launch;
}

// Appends `count` kernels by `append()`, the program's call of `function`.
template <typename Append>
ze_result_t launch(ze_command_list_handle_t list, uint32_t count, ze_kernel_handle_t* kernels,
                   const void* function, Append append) {
  if (kernels == nullptr || !is_reporting()) return append();
  Stack stack;
  take_stack(function, stack);
  if (!is_immediate(list)) {
    const ze_result_t result = append();
    for (uint32_t i = 0; i < count && result == ZE_RESULT_SUCCESS; ++i)
      appended(list, find_kernel(kernels[i]), stack);
    return result;
  }
  // reported before it is made: a sample of the kernel must never be older than its launch
  const uint64_t time = monotonic_ns();
  for (uint32_t i = 0; i < count; ++i)
    report_launches(launch_of(find_kernel(kernels[i])), stack, nullptr, 1, time, false);
  const ze_result_t result = append();
  for (uint32_t i = 0; i < count && result != ZE_RESULT_SUCCESS; ++i)
    report_launches(launch_of(find_kernel(kernels[i])), stack, nullptr, 1, time, true);
  return result;
}

// Executes lists by `execute()`, the program's call of `function`.
template <typename Execute>
ze_result_t execute(uint32_t count, ze_command_list_handle_t* lists, const void* function,
                    Execute execute) {
  if (lists == nullptr || !is_reporting()) return execute();
  bool launches = false;
  for (uint32_t i = 0; i < count; ++i) launches = launches || launches_something(lists[i]);
  if (!launches) return execute();
  Stack stack;
  take_stack(function, stack);
  const uint64_t time = monotonic_ns();
  for (uint32_t i = 0; i < count; ++i) executed(lists[i], stack, time, false);
  const ze_result_t result = execute();
  for (uint32_t i = 0; i < count && result != ZE_RESULT_SUCCESS; ++i)
    executed(lists[i], stack, time, true);
  return result;
}

ze_result_t ZE_APICALL append_launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                     const ze_group_count_t* groups, ze_event_handle_t signal,
                                     uint32_t wait_count, ze_event_handle_t* wait) {
  return launch(list, 1, &kernel, api.launch, [&] {
    return lower.list.pfnAppendLaunchKernel(list, kernel, groups, signal, wait_count, wait);
  });
}

ze_result_t ZE_APICALL append_cooperative(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                          const ze_group_count_t* groups, ze_event_handle_t signal,
                                          uint32_t wait_count, ze_event_handle_t* wait) {
  return launch(list, 1, &kernel, api.launch_cooperative, [&] {
    return lower.list.pfnAppendLaunchCooperativeKernel(list, kernel, groups, signal, wait_count,
                                                       wait);
  });
}

ze_result_t ZE_APICALL append_indirect(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                       const ze_group_count_t* groups, ze_event_handle_t signal,
                                       uint32_t wait_count, ze_event_handle_t* wait) {
  return launch(list, 1, &kernel, api.launch_indirect, [&] {
    return lower.list.pfnAppendLaunchKernelIndirect(list, kernel, groups, signal, wait_count, wait);
  });
}

// How many of them the device runs it reads from its own memory, so this is at most.
ze_result_t ZE_APICALL append_multiple(ze_command_list_handle_t list, uint32_t count,
                                       ze_kernel_handle_t* kernels, const uint32_t* used,
                                       const ze_group_count_t* groups, ze_event_handle_t signal,
                                       uint32_t wait_count, ze_event_handle_t* wait) {
  return launch(list, count, kernels, api.launch_multiple, [&] {
    return lower.list.pfnAppendLaunchMultipleKernelsIndirect(list, count, kernels, used, groups,
                                                             signal, wait_count, wait);
  });
}

ze_result_t ZE_APICALL append_with_parameters(ze_command_list_handle_t list,
                                              ze_kernel_handle_t kernel,
                                              const ze_group_count_t* groups, const void* next,
                                              ze_event_handle_t signal, uint32_t wait_count,
                                              ze_event_handle_t* wait) {
  return launch(list, 1, &kernel, api.launch_with_parameters, [&] {
    return lower.launch_with_parameters(list, kernel, groups, next, signal, wait_count, wait);
  });
}

ze_result_t ZE_APICALL append_with_arguments(ze_command_list_handle_t list,
                                             ze_kernel_handle_t kernel, ze_group_count_t groups,
                                             GroupSize sizes, void** arguments, const void* next,
                                             ze_event_handle_t signal, uint32_t wait_count,
                                             ze_event_handle_t* wait) {
  return launch(list, 1, &kernel, api.launch_with_arguments, [&] {
    return lower.launch_with_arguments(list, kernel, groups, sizes, arguments, next, signal,
                                       wait_count, wait);
  });
}

ze_result_t ZE_APICALL execute_lists(ze_command_queue_handle_t queue, uint32_t count,
                                     ze_command_list_handle_t* lists, ze_fence_handle_t fence) {
  return execute(count, lists, api.execute,
                 [&] { return lower.queue.pfnExecuteCommandLists(queue, count, lists, fence); });
}

ze_result_t ZE_APICALL append_lists(ze_command_list_handle_t immediate, uint32_t count,
                                    ze_command_list_handle_t* lists, ze_event_handle_t signal,
                                    uint32_t wait_count, ze_event_handle_t* wait) {
  return execute(count, lists, api.append_lists, [&] {
    return lower.append_lists_exp(immediate, count, lists, signal, wait_count, wait);
  });
}

ze_result_t ZE_APICALL append_lists_with_parameters(ze_command_list_handle_t immediate,
                                                    uint32_t count, ze_command_list_handle_t* lists,
                                                    const void* next, ze_event_handle_t signal,
                                                    uint32_t wait_count, ze_event_handle_t* wait) {
  return execute(count, lists, api.append_lists_with_parameters, [&] {
    return lower.append_lists_with_parameters(immediate, count, lists, next, signal, wait_count,
                                              wait);
  });
}

// ---- handles -----------------------------------------------------------------------------------

ze_result_t ZE_APICALL create_list(ze_context_handle_t context, ze_device_handle_t device,
                                   const ze_command_list_desc_t* description,
                                   ze_command_list_handle_t* list) {
  const ze_result_t result = lower.list.pfnCreate(context, device, description, list);
  if (result == ZE_RESULT_SUCCESS) list_created(*list);
  return result;
}

ze_result_t ZE_APICALL create_immediate(ze_context_handle_t context, ze_device_handle_t device,
                                        const ze_command_queue_desc_t* description,
                                        ze_command_list_handle_t* list) {
  const ze_result_t result = lower.list.pfnCreateImmediate(context, device, description, list);
  if (result == ZE_RESULT_SUCCESS) immediate_list_created(*list);
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

// Before it is gone, here and below: afterwards another thread may get the same handle.
ze_result_t ZE_APICALL destroy_list(ze_command_list_handle_t list) {
  list_destroyed(list);
  return lower.list.pfnDestroy(list);
}

ze_result_t ZE_APICALL create_module(ze_context_handle_t context, ze_device_handle_t device,
                                     const ze_module_desc_t* description,
                                     ze_module_handle_t* module,
                                     ze_module_build_log_handle_t* log) {
  const ze_result_t result = lower.module.pfnCreate(context, device, description, module, log);
  if (result == ZE_RESULT_SUCCESS && is_reporting()) module_created(*module);
  return result;
}

ze_result_t ZE_APICALL destroy_module(ze_module_handle_t module) {
  module_destroyed(module);
  return lower.module.pfnDestroy(module);
}

ze_result_t ZE_APICALL create_kernel(ze_module_handle_t module, const ze_kernel_desc_t* description,
                                     ze_kernel_handle_t* kernel) {
  const ze_result_t result = lower.kernel.pfnCreate(module, description, kernel);
  if (result == ZE_RESULT_SUCCESS) kernel_created(*kernel, module, description->pKernelName);
  return result;
}

ze_result_t ZE_APICALL destroy_kernel(ze_kernel_handle_t kernel) {
  kernel_destroyed(kernel);
  return lower.kernel.pfnDestroy(kernel);
}

// ---- entering ----------------------------------------------------------------------------------

// The loader is kept as long as the process: what the tables lead to lies there.
void find_api(const void* caller) {
  Dl_info info{};
  if (loader != nullptr || dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return;
  loader = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (loader == nullptr) return;
  api.launch = dlsym(loader, "zeCommandListAppendLaunchKernel");
  api.launch_cooperative = dlsym(loader, "zeCommandListAppendLaunchCooperativeKernel");
  api.launch_indirect = dlsym(loader, "zeCommandListAppendLaunchKernelIndirect");
  api.launch_multiple = dlsym(loader, "zeCommandListAppendLaunchMultipleKernelsIndirect");
  api.execute = dlsym(loader, "zeCommandQueueExecuteCommandLists");
  api.launch_with_parameters = dlsym(loader, "zeCommandListAppendLaunchKernelWithParameters");
  api.launch_with_arguments = dlsym(loader, "zeCommandListAppendLaunchKernelWithArguments");
  api.append_lists = dlsym(loader, "zeCommandListImmediateAppendCommandListsExp");
  api.append_lists_with_parameters =
      dlsym(loader, "zeCommandListImmediateAppendCommandListsWithParameters");
}

// In order: fork(2) may come at any time, and locks are released in the child.
void before_fork() {
  lock_lists();
  lock_modules();
}
void after_fork() {
  unlock_modules();
  unlock_lists();
}

// Whether there is somebody to report to. `caller` lies in the loader.
bool enter(const void* caller) {
  const int saved_errno = errno;
  find_next_layer(caller);
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static bool tried = false, connected = false;
  pthread_mutex_lock(&mutex);
  if (!tried) {
    tried = true;
    find_api(caller);
    connected = api.launch != nullptr && connect("level-zero", api.launch) &&
                pthread_atfork(before_fork, after_fork, after_fork) == 0;
    told_generation.store(generation());
  }
  pthread_mutex_unlock(&mutex);
  errno = saved_errno;
  return connected;
}

// Lets the real layer wrap `table` first.
template <typename Table>
void wrap_by_next(ze_api_version_t version, Table* table, const char* name) {
  using Get = ze_result_t (*)(ze_api_version_t, Table*);
  const auto get = reinterpret_cast<Get>(next_function(name));
  // it may be of another version than the loader: then it leaves the table as it is
  if (get != nullptr) get(version, table);
}

// Puts `ours` into `entry` and what was there into `below`.
template <typename Function>
void put(Function& entry, Function& below, Function ours) {
  if (entry == nullptr || entry == ours) return;
  below = entry;
  entry = ours;
}

// The same of an entry that the headers do not have.
template <typename Function>
void put_at(void* table, size_t index, Function& below, Function ours) {
  auto** entries = static_cast<void**>(table);
  auto* entry = reinterpret_cast<Function>(entries[index]);
  put(entry, below, ours);
  entries[index] = reinterpret_cast<void*>(entry);
}

}  // namespace
}  // namespace aiflame::agent

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

// What kind of layer this is, for the loader's list: as the real one says.
EXPORTED ze_result_t ZE_APICALL zelLoaderGetVersion(void* version) {
  aiflame::agent::find_next_layer(CALLER);
  using Get = ze_result_t (*)(void*);
  const auto get = reinterpret_cast<Get>(aiflame::agent::next_function("zelLoaderGetVersion"));
  return get == nullptr ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE : get(version);
}

EXPORTED ze_result_t ZE_APICALL zeGetGlobalProcAddrTable(ze_api_version_t version,
                                                         ze_global_dditable_t* table) {
  aiflame::agent::enter(CALLER);
  aiflame::agent::wrap_by_next(version, table, __func__);
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t ZE_APICALL zeGetModuleProcAddrTable(ze_api_version_t version,
                                                         ze_module_dditable_t* table) {
  using namespace aiflame::agent;
  const bool reporting = enter(CALLER);
  if (reporting) {
    // the functions of the tools' interface are traced by nobody: as the loader has them
    using Get = ze_result_t (*)(ze_api_version_t, zet_module_dditable_t*);
    const auto get = reinterpret_cast<Get>(dlsym(loader, "zetGetModuleProcAddrTable"));
    zet_module_dditable_t tools{};
    if (get == nullptr || get(version, &tools) != ZE_RESULT_SUCCESS) tools = {};
    set_module_functions(*table, tools);
  }
  wrap_by_next(version, table, __func__);
  if (reporting) {
    put(table->pfnCreate, lower.module.pfnCreate, &create_module);
    put(table->pfnDestroy, lower.module.pfnDestroy, &destroy_module);
  }
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t ZE_APICALL zeGetKernelProcAddrTable(ze_api_version_t version,
                                                         ze_kernel_dditable_t* table) {
  using namespace aiflame::agent;
  const bool reporting = enter(CALLER);
  if (reporting) set_kernel_functions(*table);
  wrap_by_next(version, table, __func__);
  if (reporting) {
    put(table->pfnCreate, lower.kernel.pfnCreate, &create_kernel);
    put(table->pfnDestroy, lower.kernel.pfnDestroy, &destroy_kernel);
  }
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t ZE_APICALL zeGetCommandQueueProcAddrTable(ze_api_version_t version,
                                                               ze_command_queue_dditable_t* table) {
  using namespace aiflame::agent;
  const bool reporting = enter(CALLER);
  wrap_by_next(version, table, __func__);
  if (reporting)
    put(table->pfnExecuteCommandLists, lower.queue.pfnExecuteCommandLists, &execute_lists);
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t ZE_APICALL zeGetCommandListProcAddrTable(ze_api_version_t version,
                                                              ze_command_list_dditable_t* table) {
  using namespace aiflame::agent;
  const bool reporting = enter(CALLER);
  wrap_by_next(version, table, __func__);
  if (!reporting) return ZE_RESULT_SUCCESS;
  put(table->pfnCreate, lower.list.pfnCreate, &create_list);
  put(table->pfnCreateImmediate, lower.list.pfnCreateImmediate, &create_immediate);
  put(table->pfnDestroy, lower.list.pfnDestroy, &destroy_list);
  put(table->pfnReset, lower.list.pfnReset, &reset_list);
  put(table->pfnAppendLaunchKernel, lower.list.pfnAppendLaunchKernel, &append_launch);
  put(table->pfnAppendLaunchCooperativeKernel, lower.list.pfnAppendLaunchCooperativeKernel,
      &append_cooperative);
  put(table->pfnAppendLaunchKernelIndirect, lower.list.pfnAppendLaunchKernelIndirect,
      &append_indirect);
  put(table->pfnAppendLaunchMultipleKernelsIndirect,
      lower.list.pfnAppendLaunchMultipleKernelsIndirect, &append_multiple);
  if (version >= version_of(1, 14)) {
    put_at(table, kLaunchWithParameters, lower.launch_with_parameters, &append_with_parameters);
    put_at(table, kLaunchWithArguments, lower.launch_with_arguments, &append_with_arguments);
  }
  if (version >= version_of(1, 16))
    put_at(table, kAppendListsWithParameters, lower.append_lists_with_parameters,
           &append_lists_with_parameters);
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t ZE_APICALL zeGetCommandListExpProcAddrTable(ze_api_version_t version,
                                                                 void* table) {
  using namespace aiflame::agent;
  const bool reporting = enter(CALLER);
  wrap_by_next(version, table, __func__);
  if (!reporting || version < version_of(1, 9)) return ZE_RESULT_SUCCESS;
  put_at(table, kCreateCloneExp, lower.create_clone_exp, &clone_list);
  put_at(table, kAppendListsExp, lower.append_lists_exp, &append_lists);
  return ZE_RESULT_SUCCESS;
}
