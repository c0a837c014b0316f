/* SPDX-License-Identifier: MIT
 *
 * Modules and kernels: which code object is on the device, and which kernel a handle means.
 */
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/zet_ddi.h>

#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/level-zero/devices.h"

namespace aiflame::agent::level_zero {

// The kernel that a handle stands for. The name is never freed.
struct Kernel {
  const char* name;
  uint32_t name_bytes;
  uint64_t object;    // see report_load(); 0 = unknown. Each recorder gets it under this number
  LaunchExtent size;  // the group as the program has set it; the work-items only of a launch
  bool is_operation;  // no kernel: a copy or a fill, which the name says
};

// A launch of the kernel on this device.
inline Launch launch_of(const Kernel& kernel, const Device* device) {
  Launch launch{};
  launch.kernel_name = kernel.name;
  launch.kernel_name_bytes = kernel.name_bytes;
  launch.object = kernel.object;
  launch.size = kernel.size;
  if (kernel.is_operation) launch.stack_flags = AGENT_OPERATION;
  launch.device = device_number(device);
  return launch;
}

// The loader's functions about modules, below other layers.
void set_module_functions(const ze_module_dditable_t& core, const zet_module_dditable_t& tools);
void set_kernel_functions(const ze_kernel_dditable_t& core);

// Not recorded = a recorder may come.
void module_created(ze_module_handle_t module, const Device* device, bool is_recorded);
// To be called before it is destroyed: afterwards another module may get its handle.
void module_destroyed(ze_module_handle_t module);
void kernel_created(ze_kernel_handle_t kernel, ze_module_handle_t module, const char* name);
// zeKernelSetGroupSize
void group_size_set(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z);
void kernel_destroyed(ze_kernel_handle_t kernel);
Kernel find_kernel(ze_kernel_handle_t kernel);

// Reports all modules, over a forked child's connection or to another recorder.
void report_modules_again();

// Around fork(2).
void lock_modules();
void unlock_modules();

}  // namespace aiflame::agent::level_zero
