/* SPDX-License-Identifier: MIT */
#include "plugins/agents/level-zero/copies.h"

#include <tuple>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/level-zero/launches.h"

namespace aiflame::agent::level_zero {
namespace {

// What our functions call.
ze_command_list_dditable_t lower;

constexpr Kernel kDriverKernel = {AGENT_DRIVER_KERNEL, sizeof AGENT_DRIVER_KERNEL - 1, 0, {}};

// zeCommandListAppend…(list, …, signal, wait_count, wait) of the table's entry `Member`.
template <auto Member>
struct Copy;

template <typename... Arguments, ze_result_t (ZE_APICALL* ze_command_list_dditable_t::*Member)(
                                     ze_command_list_handle_t, Arguments...)>
struct Copy<Member> {
  static inline const void* function = nullptr;  // as the program calls it, in the loader

  static ze_result_t ZE_APICALL append(ze_command_list_handle_t list, Arguments... arguments) {
    ListInfo info{};
    if (!is_seen(list, info) || info.copy_engine) return (lower.*Member)(list, arguments...);
    auto passed = std::make_tuple(list, arguments...);
    ze_event_handle_t& signal = std::get<sizeof...(Arguments) - 2>(passed);
    return launch_kernels(
        list, info, 1, [](uint32_t) { return kDriverKernel; }, signal, function,
        [&](ze_event_handle_t event) {
          signal = event;
          return std::apply(lower.*Member, passed);
        });
  }

  static void put(ze_command_list_dditable_t& table) {
    level_zero::put(table.*Member, lower.*Member, &append);
  }
};

using Table = ze_command_list_dditable_t;

struct CopyFunction {
  const char* name;
  const void** function;
  void (*put)(Table& table);
};

template <auto Member>
constexpr CopyFunction copy_function(const char* name) {
  return {name, &Copy<Member>::function, &Copy<Member>::put};
}

constexpr CopyFunction kCopyFunctions[] = {
    copy_function<&Table::pfnAppendMemoryCopy>("zeCommandListAppendMemoryCopy"),
    copy_function<&Table::pfnAppendMemoryFill>("zeCommandListAppendMemoryFill"),
    copy_function<&Table::pfnAppendMemoryCopyRegion>("zeCommandListAppendMemoryCopyRegion"),
    copy_function<&Table::pfnAppendMemoryCopyFromContext>(
        "zeCommandListAppendMemoryCopyFromContext"),
    copy_function<&Table::pfnAppendImageCopy>("zeCommandListAppendImageCopy"),
    copy_function<&Table::pfnAppendImageCopyRegion>("zeCommandListAppendImageCopyRegion"),
    copy_function<&Table::pfnAppendImageCopyToMemory>("zeCommandListAppendImageCopyToMemory"),
    copy_function<&Table::pfnAppendImageCopyFromMemory>("zeCommandListAppendImageCopyFromMemory"),
    copy_function<&Table::pfnAppendImageCopyToMemoryExt>("zeCommandListAppendImageCopyToMemoryExt"),
    copy_function<&Table::pfnAppendImageCopyFromMemoryExt>(
        "zeCommandListAppendImageCopyFromMemoryExt"),
};

}  // namespace

void find_copy_functions() {
  for (const CopyFunction& each : kCopyFunctions) *each.function = loader_function(each.name);
}

void put_copy_functions(ze_command_list_dditable_t& table) {
  for (const CopyFunction& each : kCopyFunctions) each.put(table);
}

}  // namespace aiflame::agent::level_zero
