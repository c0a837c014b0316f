/* SPDX-License-Identifier: MIT */
#include "plugins/agents/level-zero/copies.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "plugins/agents/common/operation_name.h"
#include "plugins/agents/level-zero/launches.h"
#include "plugins/agents/level-zero/layer.h"

namespace aiflame::agent::level_zero {
namespace {

// What our functions call.
ze_command_list_dditable_t lower;

// The least size of each class of OperationName; 0 = unknown. Names live as long as lists do.
constexpr uint64_t kClasses[] = {0, 1, 4096, 65536, 1 << 20, 16 << 20, 256 << 20};
#define AIFLAME_NAMES(what)                                                          \
  {                                                                                  \
    {what, "", kClasses[0]}, {what, "", kClasses[1]}, {what, "", kClasses[2]},       \
        {what, "", kClasses[3]}, {what, "", kClasses[4]}, {what, "", kClasses[5]}, { \
      what, "", kClasses[6]                                                          \
    }                                                                                \
  }
// Level Zero does not say where memory lies without being asked.
constexpr OperationName kCopies[] = AIFLAME_NAMES("Memcpy"), kFills[] = AIFLAME_NAMES("Memset");
#undef AIFLAME_NAMES

Kernel operation_of(bool is_fill, uint64_t size) {
  const auto* const next = std::upper_bound(std::begin(kClasses), std::end(kClasses), size);
  const OperationName& name = (is_fill ? kFills : kCopies)[next - std::begin(kClasses) - 1];
  return {name.text(), name.bytes(), 0, {}, true};
}

// Appends a copy or a fill by `append(event)`, which is the program's call of `function`.
template <typename Append>
ze_result_t launch_copy(ze_command_list_handle_t list, bool is_fill, uint64_t size,
                        ze_event_handle_t signal, uint32_t wait_count, const void* function,
                        Append append) {
  Destination to{};
  if (!is_seen(list, to)) return append(signal);
  return launch_kernels(
      list, to, 1, [=](uint32_t) { return operation_of(is_fill, size); }, signal, wait_count,
      function, append);
}

// zeCommandListAppend…(list, …, signal, wait_count, wait) of the table's entry `Member`.
// `kSize`: which argument is the size in bytes, the list being 0; 0 = none is.
template <auto Member, int kSize, bool kIsFill>
struct Copy;

template <typename... Arguments,
          ze_result_t (ZE_APICALL* ze_command_list_dditable_t::*Member)(ze_command_list_handle_t,
                                                                        Arguments...),
          int kSize, bool kIsFill>
struct Copy<Member, kSize, kIsFill> {
  static inline const void* function = nullptr;  // as the program calls it, in the loader

  static ze_result_t ZE_APICALL append(ze_command_list_handle_t list, Arguments... arguments) {
    auto passed = std::make_tuple(list, arguments...);
    ze_event_handle_t& signal = std::get<sizeof...(Arguments) - 2>(passed);
    uint64_t size = 0;
    if constexpr (kSize != 0) size = std::get<kSize>(passed);
    const uint32_t wait_count = std::get<sizeof...(Arguments) - 1>(passed);
    return launch_copy(list, kIsFill, size, signal, wait_count, function,
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

template <auto Member, int kSize = 0, bool kIsFill = false>
constexpr CopyFunction copy_function(const char* name) {
  using Its = Copy<Member, kSize, kIsFill>;
  return {name, &Its::function, &Its::put};
}

constexpr CopyFunction kCopyFunctions[] = {
    copy_function<&Table::pfnAppendMemoryCopy, 3>("zeCommandListAppendMemoryCopy"),
    copy_function<&Table::pfnAppendMemoryFill, 4, true>("zeCommandListAppendMemoryFill"),
    copy_function<&Table::pfnAppendMemoryCopyRegion>("zeCommandListAppendMemoryCopyRegion"),
    copy_function<&Table::pfnAppendMemoryCopyFromContext, 4>(
        "zeCommandListAppendMemoryCopyFromContext"),
    copy_function<&Table::pfnAppendImageCopy>("zeCommandListAppendImageCopy"),
    copy_function<&Table::pfnAppendImageCopyRegion>("zeCommandListAppendImageCopyRegion"),
    copy_function<&Table::pfnAppendImageCopyToMemory>("zeCommandListAppendImageCopyToMemory"),
    copy_function<&Table::pfnAppendImageCopyFromMemory>("zeCommandListAppendImageCopyFromMemory"),
    copy_function<&Table::pfnAppendImageCopyToMemoryExt>("zeCommandListAppendImageCopyToMemoryExt"),
    copy_function<&Table::pfnAppendImageCopyFromMemoryExt>(
        "zeCommandListAppendImageCopyFromMemoryExt"),
};

// ---- of version 1.16, which the headers of 1.4 (Debian 12's) lack -------------------------------

// Indices into ze_command_list_dditable_t
constexpr size_t kCopyWithParameters = 38, kFillWithParameters = 39;
using CopyWithParameters = ze_result_t (*)(ze_command_list_handle_t, void*, const void*, size_t,
                                           const void*, ze_event_handle_t, uint32_t,
                                           ze_event_handle_t*);
using FillWithParameters = ze_result_t (*)(ze_command_list_handle_t, void*, const void*, size_t,
                                           size_t, const void*, ze_event_handle_t, uint32_t,
                                           ze_event_handle_t*);
struct WithParameters {
  CopyWithParameters copy;
  FillWithParameters fill;
  const void *copy_function, *fill_function;  // as the program calls them, in the loader
};
WithParameters with_parameters;

ze_result_t copy_with_parameters(ze_command_list_handle_t list, void* to, const void* from,
                                 size_t size, const void* next, ze_event_handle_t signal,
                                 uint32_t wait_count, ze_event_handle_t* wait) {
  return launch_copy(list, false, size, signal, wait_count, with_parameters.copy_function,
                     [&](ze_event_handle_t event) {
                       return with_parameters.copy(list, to, from, size, next, event, wait_count,
                                                   wait);
                     });
}

ze_result_t fill_with_parameters(ze_command_list_handle_t list, void* to, const void* pattern,
                                 size_t pattern_size, size_t size, const void* next,
                                 ze_event_handle_t signal, uint32_t wait_count,
                                 ze_event_handle_t* wait) {
  return launch_copy(list, true, size, signal, wait_count, with_parameters.fill_function,
                     [&](ze_event_handle_t event) {
                       return with_parameters.fill(list, to, pattern, pattern_size, size, next,
                                                   event, wait_count, wait);
                     });
}

}  // namespace

void find_copy_functions() {
  for (const CopyFunction& each : kCopyFunctions) *each.function = loader_function(each.name);
  with_parameters.copy_function = loader_function("zeCommandListAppendMemoryCopyWithParameters");
  with_parameters.fill_function = loader_function("zeCommandListAppendMemoryFillWithParameters");
}

void put_copy_functions(ze_api_version_t version, ze_command_list_dditable_t& table) {
  for (const CopyFunction& each : kCopyFunctions) each.put(table);
  if (version < version_of(1, 16)) return;
  put_at(&table, kCopyWithParameters, with_parameters.copy, &copy_with_parameters);
  put_at(&table, kFillWithParameters, with_parameters.fill, &fill_with_parameters);
}

}  // namespace aiflame::agent::level_zero
