/* SPDX-License-Identifier: MIT
 *
 * Launches: something that runs on the device is appended to a command list.
 */
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/busy.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/clock.h"
#include "plugins/agents/common/range_agent.h"
#include "plugins/agents/common/thread_room.h"
#include "plugins/agents/level-zero/command_lists.h"
#include "plugins/agents/level-zero/devices.h"
#include "plugins/agents/level-zero/launch_times.h"
#include "plugins/agents/level-zero/layer.h"
#include "plugins/agents/level-zero/modules.h"

namespace aiflame::agent::level_zero {

// ---- graphs -------------------------------------------------------------------------------------

// Looks the function up in the loader, once it is known.
void find_capture_function();
// While a list is captured, what is appended to it is not launched, but put into a graph.
ze_result_t capture_state(ze_command_list_handle_t list);
// A new list is not captured: what the query returns for it means no.
bool is_captured(ze_command_list_handle_t list, const ListInfo& info);
// The program captures through functions that it got from the driver directly, so the agent cannot
// query. Then only the program's own events may get into a list.
void note_unseen_captures();
bool are_captures_unseen();

// ---- launches -----------------------------------------------------------------------------------

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

// The program's fault or ours: nothing was appended. After other failures, something was.
inline bool is_refusal(ze_result_t result) {
  constexpr uint32_t kValidation = 0x78000000, kValidationEnd = 0x78001000;
  const auto number = static_cast<uint32_t>(result);
  return number >= kValidation && number < kValidationEnd;
}

// Appends one kernel to an immediate list by `append(event)`. `signal` is the program's event.
template <typename Append>
ze_result_t launch_timed(const Timing& timing, const ListInfo& info, const Launch& report,
                         const Stack& stack, ze_event_handle_t signal, Append append) {
  // reports first: a sample of the kernel must never be older than its launch
  const Launched launched = report_launch_at(report, stack, nullptr);
  const uint64_t instance = launched.instance;
  if (instance == 0) {
    cancel_timing(timing);
    return append(signal);
  }
  ze_result_t result = append(timing.event);
  if (result == ZE_RESULT_SUCCESS) {
    commit_timing(timing, *info.flights, info.device, instance, launched.time);
    return result;
  }
  cancel_timing(timing);
  if (signal == nullptr && is_refusal(result)) result = append(nullptr);
  report_done(instance, 0, 0, result == ZE_RESULT_SUCCESS ? AGENT_NO_TIMES : AGENT_FAILED);
  return result;
}

// The same for a list that is executed later.
template <typename KernelAt, typename Append>
ze_result_t append_later(ze_command_list_handle_t list, uint32_t count, KernelAt kernel_at,
                         ze_event_handle_t signal, const ListInfo& info, const Stack& stack,
                         Append append) {
  const bool in_handler = (stack.flags & kInHandler) != 0;
  const bool may_time =
      count == 1 && !in_handler && info.flights != nullptr && has_clock(info.device);
  Event* kept = nullptr;
  ze_event_handle_t event = signal;
  if (may_time && signal == nullptr && !are_captures_unseen())
    kept = keep_event(info.context, event);
  ze_result_t result = append(event);
  if (result != ZE_RESULT_SUCCESS && kept != nullptr) {
    drop_event(kept);
    kept = nullptr;
    if (is_refusal(result)) result = append(nullptr);
  }
  if (in_handler && result == ZE_RESULT_SUCCESS) appended_unreported(list, count);
  for (uint32_t i = 0; i < count && !in_handler && result == ZE_RESULT_SUCCESS; ++i)
    appended(list, kernel_at(i), stack, may_time ? signal : nullptr, kept);
  return result;
}

// Whether launch_kernels() has to see what is appended to `list`, whose `info` it then finds. While
// a recorder may come, it has to see what is appended to lists that are executed later.
inline bool is_seen(ze_command_list_handle_t list, ListInfo& info) {
  const bool is_recorded = begin_layer_report();
  // a handler may not wait for the lock of a list
  if (!is_recorded && (!awaits_recorder() || is_busy())) return false;
  info = find_list(list);
  return is_recorded || !info.immediate;
}

// The ranges of a launch: with them, the API's function stands in front by its name.
inline void put_ranges(Launch& report, const FrontText& front, uint32_t bytes) {
  report.front = front.text;
  report.front_bytes = bytes;
}

// Appends kernel_at(0) … kernel_at(count - 1) by `append(event)`, which is the program's call of
// `function` with its event `signal`. Callers ask is_seen() first.
template <typename KernelAt, typename Append>
ze_result_t launch_kernels(ze_command_list_handle_t list, const ListInfo& info, uint32_t count,
                           KernelAt kernel_at, ze_event_handle_t signal, const void* function,
                           Append append) {
  if (is_captured(list, info)) return append(signal);
  const OffStack<Stack> taken;
  if (!taken) {
    count_lost_launches(info.immediate ? count : 0);
    return append(signal);
  }
  Stack& stack = *taken;
  if (!info.immediate) {
    take_kept_stack(function, stack);
    return append_later(list, count, kernel_at, signal, info, stack, append);
  }
  const OffStack<FrontText> front;
  const char* name = front && has_any_open_ranges() ? loader_function_name(function) : nullptr;
  const uint32_t front_bytes =
      name == nullptr ? 0 : write_range_front(name, "[level-zero]", *front);
  take_stack(name == nullptr ? function : nullptr, stack);
  const bool in_handler = (stack.flags & kInHandler) != 0;
  if (count == 1 && !in_handler && info.flights != nullptr && has_clock(info.device)) {
    const Timing timing = begin_timing(signal, are_captures_unseen() ? nullptr : info.context);
    if (timing.event != nullptr) {
      Launch report = launch_of(kernel_at(0), info.device);
      report.queue = reinterpret_cast<uint64_t>(list);
      report.flags = AGENT_OUT_OF_ORDER;
      if (name != nullptr) put_ranges(report, *front, front_bytes);
      return launch_timed(timing, info, report, stack, signal, append);
    }
  }
  const uint64_t time = monotonic_ns();
  const auto report_one = [&](uint32_t i, bool failed) {
    Launch report = launch_of(kernel_at(i), info.device);
    if (name != nullptr) put_ranges(report, *front, front_bytes);
    report_launches(report, stack, nullptr, 1, time, failed);
  };
  for (uint32_t i = 0; i < count; ++i) report_one(i, false);
  const ze_result_t result = append(signal);
  for (uint32_t i = 0; i < count && result != ZE_RESULT_SUCCESS; ++i) report_one(i, true);
  return result;
}

}  // namespace aiflame::agent::level_zero
