/* SPDX-License-Identifier: MIT */
#include "plugins/level-zero/copies.h"

#include <tuple>

#include "plugins/agent_channel.h"
#include "plugins/level-zero/launches.h"

namespace aiflame::agent {
namespace {

// What the wrapped functions go on to.
ze_command_list_dditable_t lower;

constexpr Kernel kDriverKernel = {AGENT_DRIVER_KERNEL, sizeof AGENT_DRIVER_KERNEL - 1, 0};

// zeCommandListAppend…(list, …, signal, wait_count, wait) of the table's entry `Member`.
template <auto Member>
struct Copy;

template <typename... Arguments, ze_result_t (ZE_APICALL* ze_command_list_dditable_t::*Member)(
                                     ze_command_list_handle_t, Arguments...)>
struct Copy<Member> {
  static inline const void* function = nullptr;  // as the program calls it, in the loader

  static ze_result_t ZE_APICALL append(ze_command_list_handle_t list, Arguments... arguments) {
    if (find_list(list).copy_engine) return (lower.*Member)(list, arguments...);
    auto passed = std::make_tuple(list, arguments...);
    ze_event_handle_t& signal = std::get<sizeof...(Arguments) - 2>(passed);
    return launch_kernels(
        list, 1, [](uint32_t) { return kDriverKernel; }, signal, function,
        [&](ze_event_handle_t event) {
          signal = event;
          return std::apply(lower.*Member, passed);
        });
  }

  static void find(const char* name) { function = loader_function(name); }
  static void put(ze_command_list_dditable_t& table) {
    agent::put(table.*Member, lower.*Member, &append);
  }
};

using Table = ze_command_list_dditable_t;
using MemoryCopy = Copy<&Table::pfnAppendMemoryCopy>;
using MemoryFill = Copy<&Table::pfnAppendMemoryFill>;
using MemoryCopyRegion = Copy<&Table::pfnAppendMemoryCopyRegion>;
using MemoryCopyFromContext = Copy<&Table::pfnAppendMemoryCopyFromContext>;
using ImageCopy = Copy<&Table::pfnAppendImageCopy>;
using ImageCopyRegion = Copy<&Table::pfnAppendImageCopyRegion>;
using ImageCopyToMemory = Copy<&Table::pfnAppendImageCopyToMemory>;
using ImageCopyFromMemory = Copy<&Table::pfnAppendImageCopyFromMemory>;
using ImageCopyToMemoryExt = Copy<&Table::pfnAppendImageCopyToMemoryExt>;
using ImageCopyFromMemoryExt = Copy<&Table::pfnAppendImageCopyFromMemoryExt>;

}  // namespace

void find_copy_functions() {
  MemoryCopy::find("zeCommandListAppendMemoryCopy");
  MemoryFill::find("zeCommandListAppendMemoryFill");
  MemoryCopyRegion::find("zeCommandListAppendMemoryCopyRegion");
  MemoryCopyFromContext::find("zeCommandListAppendMemoryCopyFromContext");
  ImageCopy::find("zeCommandListAppendImageCopy");
  ImageCopyRegion::find("zeCommandListAppendImageCopyRegion");
  ImageCopyToMemory::find("zeCommandListAppendImageCopyToMemory");
  ImageCopyFromMemory::find("zeCommandListAppendImageCopyFromMemory");
  ImageCopyToMemoryExt::find("zeCommandListAppendImageCopyToMemoryExt");
  ImageCopyFromMemoryExt::find("zeCommandListAppendImageCopyFromMemoryExt");
}

void put_copy_functions(ze_command_list_dditable_t& table) {
  MemoryCopy::put(table);
  MemoryFill::put(table);
  MemoryCopyRegion::put(table);
  MemoryCopyFromContext::put(table);
  ImageCopy::put(table);
  ImageCopyRegion::put(table);
  ImageCopyToMemory::put(table);
  ImageCopyFromMemory::put(table);
  ImageCopyToMemoryExt::put(table);
  ImageCopyFromMemoryExt::put(table);
}

}  // namespace aiflame::agent
