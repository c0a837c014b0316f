/* SPDX-License-Identifier: MIT
 *
 * The Level Zero agent: a layer that the loader puts between the program and its drivers. It
 * reports each kernel launch with its CPU stack, and the code on the device.
 *
 * How it gets there: with ZE_ENABLE_TRACING_LAYER=1 the loader opens a library named
 * libze_tracing_layer.so.1. It hands the layer the tables of functions that the program's calls go
 * through, by one call of zeGet…ProcAddrTable for each table, and the layer puts its own functions
 * in. gpustall-record sets LD_LIBRARY_PATH so that this library is found under that name; it
 * forwards to the real layer. So it is loaded into programs that use Level Zero and into no others,
 * whether they link to the loader, open it at run time, or link statically to its front. The public
 * tracing interface (zelTracerCreate) changes the same tables, but only after zeInit(), and for
 * code that is already in the process.
 *
 *   program -> loader's front -> this layer -> real tracing layer -> loader's back -> driver
 *
 * The agent's own calls go to the loader's back.
 */
#include "plugins/agents/level-zero/layer.h"

#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/zet_ddi.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/loader.h"
#include "plugins/agents/common/thread_room.h"
#include "plugins/agents/level-zero/command_lists.h"
#include "plugins/agents/level-zero/devices.h"
#include "plugins/agents/level-zero/launch_times.h"
#include "plugins/agents/level-zero/modules.h"
#include "plugins/agents/level-zero/next_layer.h"

namespace aiflame::agent::level_zero {
namespace {

// What our functions call. Filled in before the program has the tables.
struct Lower {
  ze_module_dditable_t module;
  ze_kernel_dditable_t kernel;
};
Lower lower;

void* loader = nullptr;

// What was looked up in it, while the loader begins. Names are literals.
constexpr uint32_t kMaxFunctions = 64;
struct LoaderFunction {
  const void* address;
  const char* name;
};
LoaderFunction functions_of_loader[kMaxFunctions];
uint32_t known_functions = 0;

// Under which generation() everything is reported, and under which it has been begun.
std::atomic<uint32_t> reported_generation{0}, begun_generation{0};

bool is_reporting_again() {
  return begun_generation.load(std::memory_order_acquire) !=
         reported_generation.load(std::memory_order_acquire);
}

// ---- handles ------------------------------------------------------------------------------------

ze_result_t ZE_APICALL create_module(ze_context_handle_t context, ze_device_handle_t device,
                                     const ze_module_desc_t* description,
                                     ze_module_handle_t* module,
                                     ze_module_build_log_handle_t* log) {
  const ze_result_t result = lower.module.pfnCreate(context, device, description, module, log);
  if (result != ZE_RESULT_SUCCESS) return result;
  // while another thread reports again, it may not come upon this module any more
  const bool is_recorded = begin_layer_report() || (is_reporting_again() && begin_report());
  if (is_recorded || awaits_recorder()) module_created(*module, find_device(device), is_recorded);
  return result;
}

// Forgets the handle first, here and below: afterwards another thread may get the same one.
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

ze_result_t ZE_APICALL set_group_size(ze_kernel_handle_t kernel, uint32_t x, uint32_t y,
                                      uint32_t z) {
  const ze_result_t result = lower.kernel.pfnSetGroupSize(kernel, x, y, z);
  if (result == ZE_RESULT_SUCCESS) group_size_set(kernel, x, y, z);
  return result;
}

ze_result_t ZE_APICALL destroy_kernel(ze_kernel_handle_t kernel) {
  kernel_destroyed(kernel);
  return lower.kernel.pfnDestroy(kernel);
}

// ---- entering -----------------------------------------------------------------------------------

// Keeps the loader for good, as the tables lead into it.
void find_loader(const void* caller) {
  Dl_info info{};
  if (loader != nullptr || dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return;
  loader = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

// All locks in a fixed order: fork(2) may come at any time, and the child must find them free.
void before_fork() {
  lock_lists();
  lock_modules();
  lock_times();
  lock_devices();
}
void after_fork() {
  unlock_devices();
  unlock_times();
  unlock_modules();
  unlock_lists();
}

// Tells a recorder that has just come what it must know. False when that is not done yet: another
// thread does it, or nobody can in a signal's handler.
[[gnu::noinline]] bool report_again(uint32_t now) {
  const OffStack<Stack> stack;
  if (stack) take_stack(nullptr, *stack);
  if (!stack || (stack->flags & kInHandler) != 0) {  // to read the code allocates
    count_lost_launches(1);
    return false;
  }
  uint32_t begun = begun_generation.load(std::memory_order_relaxed);
  if (begun == now || !begun_generation.compare_exchange_strong(begun, now)) return false;
  report_devices_again();
  report_modules_again();
  reported_generation.store(now, std::memory_order_release);
  return true;
}

// Whether the recorder has what it must know.
bool is_reported() {
  const uint32_t now = generation();
  return reported_generation.load(std::memory_order_acquire) == now || report_again(now);
}

}  // namespace

bool begin_layer_report() {
  return begin_report() && is_reported();
}

bool begin_layer_memory_report() {
  return begin_memory_report() && is_reported();
}

bool connect_once(const void* caller) {
  const int saved_errno = errno;
  find_next_layer(caller);
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static bool tried = false, connected = false;
  pthread_mutex_lock(&mutex);
  if (!tried) {
    tried = true;
    find_loader(caller);
    find_launch_functions();
    const void* launch = loader_function("zeCommandListAppendLaunchKernel");
    connected = launch != nullptr && connect("level-zero", launch, Absent::may_come) &&
                at_fork(before_fork, after_fork, after_fork);
    reported_generation.store(generation());
    begun_generation.store(generation());
  }
  pthread_mutex_unlock(&mutex);
  errno = saved_errno;
  return connected;
}

void* loader_function(const char* name) {
  void* found = loader == nullptr ? nullptr : dlsym(loader, name);
  if (found != nullptr && known_functions < kMaxFunctions)
    functions_of_loader[known_functions++] = {found, name};
  return found;
}

const char* loader_function_name(const void* function) {
  for (uint32_t i = 0; i < known_functions; ++i)
    if (functions_of_loader[i].address == function) return functions_of_loader[i].name;
  return nullptr;
}

}  // namespace aiflame::agent::level_zero

// The loader lists layers with their versions: answers as the real layer does.
EXPORTED ze_result_t ZE_APICALL zelLoaderGetVersion(void* version) {
  aiflame::agent::level_zero::find_next_layer(CALLER);
  using Get = ze_result_t (*)(void*);
  const auto get =
      reinterpret_cast<Get>(aiflame::agent::level_zero::next_function("zelLoaderGetVersion"));
  return get == nullptr ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE : get(version);
}

EXPORTED ze_result_t ZE_APICALL zeGetGlobalProcAddrTable(ze_api_version_t version,
                                                         ze_global_dditable_t* table) {
  aiflame::agent::level_zero::connect_once(CALLER);
  aiflame::agent::level_zero::wrap_by_next(version, table, __func__);
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t ZE_APICALL zeGetModuleProcAddrTable(ze_api_version_t version,
                                                         ze_module_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  const auto keep = [&] {
    // nobody traces the functions of the tools' interface: the loader's are the right ones
    using Get = ze_result_t (*)(ze_api_version_t, zet_module_dditable_t*);
    const auto get = reinterpret_cast<Get>(loader_function("zetGetModuleProcAddrTable"));
    zet_module_dditable_t tools{};
    if (get == nullptr || get(version, &tools) != ZE_RESULT_SUCCESS) tools = {};
    set_module_functions(*table, tools);
  };
  return fill_table(CALLER, version, table, __func__, keep, [&] {
    put(table->pfnCreate, lower.module.pfnCreate, &create_module);
    put(table->pfnDestroy, lower.module.pfnDestroy, &destroy_module);
  });
}

EXPORTED ze_result_t ZE_APICALL zeGetKernelProcAddrTable(ze_api_version_t version,
                                                         ze_kernel_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(
      CALLER, version, table, __func__, [&] { set_kernel_functions(*table); },
      [&] {
        put(table->pfnCreate, lower.kernel.pfnCreate, &create_kernel);
        put(table->pfnDestroy, lower.kernel.pfnDestroy, &destroy_kernel);
        put(table->pfnSetGroupSize, lower.kernel.pfnSetGroupSize, &set_group_size);
      });
}
