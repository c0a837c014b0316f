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
#include "plugins/agents/level-zero/command_lists.h"
#include "plugins/agents/level-zero/devices.h"
#include "plugins/agents/level-zero/launch_times.h"
#include "plugins/agents/level-zero/modules.h"
#include "plugins/agents/level-zero/next_layer.h"

namespace aiflame::agent::level_zero {
namespace {

// What the wrapped functions go on to. Filled in before the program has the tables.
struct Lower {
  ze_module_dditable_t module;
  ze_kernel_dditable_t kernel;
};
Lower lower;

void* loader = nullptr;

std::atomic<uint32_t> told_generation{0};

// ---- handles -----------------------------------------------------------------------------------

ze_result_t ZE_APICALL create_module(ze_context_handle_t context, ze_device_handle_t device,
                                     const ze_module_desc_t* description,
                                     ze_module_handle_t* module,
                                     ze_module_build_log_handle_t* log) {
  const ze_result_t result = lower.module.pfnCreate(context, device, description, module, log);
  if (result == ZE_RESULT_SUCCESS && begin_layer_report())
    module_created(*module, find_device(device));
  return result;
}

// Before it is gone, here and below: afterwards another thread may get the same handle.
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
void find_loader(const void* caller) {
  Dl_info info{};
  if (loader != nullptr || dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return;
  loader = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

// In order: fork(2) may come at any time, and locks are released in the child.
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

}  // namespace

bool begin_layer_report() {
  if (!begin_report()) return false;
  const uint32_t now = generation();
  uint32_t told = told_generation.load(std::memory_order_relaxed);
  if (told != now && told_generation.compare_exchange_strong(told, now)) {
    tell_devices_again();
    tell_modules_again();
  }
  return true;
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
    connected = launch != nullptr && connect("level-zero", launch) &&
                pthread_atfork(before_fork, after_fork, after_fork) == 0;
    told_generation.store(generation());
  }
  pthread_mutex_unlock(&mutex);
  errno = saved_errno;
  return connected;
}

void* loader_function(const char* name) {
  return loader == nullptr ? nullptr : dlsym(loader, name);
}

}  // namespace aiflame::agent::level_zero

// What kind of layer this is, for the loader's list: as the real one says.
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
      });
}
