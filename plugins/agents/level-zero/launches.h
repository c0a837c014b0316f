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
#include "plugins/agents/level-zero/graphs.h"
#include "plugins/agents/level-zero/launch_times.h"
#include "plugins/agents/level-zero/layer.h"
#include "plugins/agents/level-zero/modules.h"

namespace aiflame::agent::level_zero {

// ---- launches -----------------------------------------------------------------------------------

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

// Keeps what was appended to a list or a graph. It signals `signal` or `kept`, as in appended().
template <typename KernelAt>
void keep_appended(ze_command_list_handle_t list, uint32_t count, KernelAt kernel_at,
                   const ListInfo& info, const Stack& stack, ze_event_handle_t signal,
                   Event* kept) {
  if ((stack.flags & kInHandler) != 0) {
    appended_unreported(list, count);
    return;
  }
  const bool may_time = count == 1 && info.flights != nullptr && has_clock(info.device);
  for (uint32_t i = 0; i < count; ++i)
    appended(list, kernel_at(i), stack, may_time ? signal : nullptr, kept);
}

// Appends to a list that is executed later, or to a graph, by `append(event)`.
template <typename KernelAt, typename Append>
ze_result_t append_later(ze_command_list_handle_t list, uint32_t count, KernelAt kernel_at,
                         ze_event_handle_t signal, const ListInfo& info, const Stack& stack,
                         Append append) {
  const bool may_keep = count == 1 && (stack.flags & kInHandler) == 0 && info.flights != nullptr &&
                        has_clock(info.device) && signal == nullptr && !are_captures_unseen() &&
                        may_keep_event(list);
  ze_event_handle_t event = signal;
  Event* kept = may_keep ? keep_event(info.context, event) : nullptr;
  ze_result_t result = append(event);
  if (result != ZE_RESULT_SUCCESS && kept != nullptr) {
    drop_event(kept);
    kept = nullptr;
    if (is_refusal(result)) result = append(nullptr);
  }
  if (result == ZE_RESULT_SUCCESS) keep_appended(list, count, kernel_at, info, stack, signal, kept);
  return result;
}

// Where what is appended to a list goes.
struct Destination {
  ListInfo info;
  ze_command_list_handle_t keeper;  // the list or graph that keeps it; null = it is launched
  bool is_recorded;
};
// Whether launch_kernels() has to see what is appended to `list`, whose destination it then finds.
// While a recorder may come, it has to see what is executed later.
inline bool is_seen(ze_command_list_handle_t list, Destination& to) {
  to.is_recorded = begin_layer_report();
  // a handler may not wait for the lock of a list
  if (!to.is_recorded && (!awaits_recorder() || is_busy())) return false;
  to.info = find_list(list);
  to.keeper = to.info.immediate ? find_graph(list) : list;
  return to.is_recorded || to.keeper != nullptr || is_capture_open();
}

// Appends to an immediate list while another one is captured, by `append(signal)`. If it waits for
// what is captured, its list is captured from here on: then nothing was launched. No event of the
// agent's is passed, nor is it timed.
template <typename KernelAt, typename Append>
ze_result_t launch_or_capture(ze_command_list_handle_t list, const Destination& to, uint32_t count,
                              KernelAt kernel_at, ze_event_handle_t signal, const Stack& stack,
                              Append append) {
  const uint64_t time = monotonic_ns();
  const auto report = [&](bool failed) {
    for (uint32_t i = 0; i < count && to.is_recorded; ++i)
      report_launches(launch_of(kernel_at(i), to.info.device), stack, nullptr, 1, time, failed);
  };
  report(false);
  const ze_result_t result = append(signal);
  const ze_command_list_handle_t graph = result == ZE_RESULT_SUCCESS ? find_graph(list) : nullptr;
  if (result != ZE_RESULT_SUCCESS || graph != nullptr) report(true);
  if (graph != nullptr) keep_appended(graph, count, kernel_at, to.info, stack, signal, nullptr);
  return result;
}

// The ranges of a launch: with them, the API's function stands in front by its name.
inline void put_ranges(Launch& report, const FrontText& front, uint32_t bytes) {
  report.front = front.text;
  report.front_bytes = bytes;
}

// Appends kernel_at(0) … kernel_at(count - 1) by `append(event)`, which is the program's call of
// `function` with its event `signal`, and waits for `wait_count` others. Callers ask is_seen()
// first.
template <typename KernelAt, typename Append>
ze_result_t launch_kernels(ze_command_list_handle_t list, const Destination& to, uint32_t count,
                           KernelAt kernel_at, ze_event_handle_t signal, uint32_t wait_count,
                           const void* function, Append append) {
  const ListInfo& info = to.info;
  const OffStack<Stack> taken;
  if (!taken) {
    const ze_result_t result = append(signal);
    if (result != ZE_RESULT_SUCCESS) return result;
    if (to.keeper != nullptr)
      appended_unreported(to.keeper, count);
    else
      count_lost_launches(count);
    return result;
  }
  Stack& stack = *taken;
  if (to.keeper != nullptr) {
    take_kept_stack(function, stack);
    return append_later(to.keeper, count, kernel_at, signal, info, stack, append);
  }
  if (is_capture_open() && (wait_count > 0 || !to.is_recorded)) {
    take_kept_stack(function, stack);
    return launch_or_capture(list, to, count, kernel_at, signal, stack, append);
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

// The program's call that executes lists: the function's address, or frames in words, as in Launch.
struct ExecutingCall {
  const void* function;
  const char* front;
  uint32_t front_bytes;
};

// Executes lists by `execute()`, which is `call`.
template <typename Execute>
ze_result_t execute_lists(uint32_t count, const ze_command_list_handle_t* lists,
                          const ExecutingCall& call, Execute execute) {
  if (lists == nullptr) return execute();
  if (!begin_layer_report()) {
    if (is_busy()) return execute();  // a handler may not wait for the lock of a list
    for (uint32_t i = 0; i < count; ++i) executed_unreported(lists[i]);
    return execute();
  }
  bool launches = false;
  for (uint32_t i = 0; i < count; ++i) launches = launches || launches_something(lists[i]);
  if (!launches) return execute();
  const OffStack<Stack> stack;
  if (!stack) {
    for (uint32_t i = 0; i < count; ++i) executed_lost(lists[i]);
    return execute();
  }
  take_stack(call.function, *stack);
  const Execution from{*stack, call.front, call.front_bytes, monotonic_ns()};
  for (uint32_t i = 0; i < count; ++i) executed(lists[i], from, false);
  const ze_result_t result = execute();
  for (uint32_t i = 0; i < count && result != ZE_RESULT_SUCCESS; ++i)
    executed(lists[i], from, true);
  return result;
}

// The same on an immediate list. While that is captured, they go into its graph, if its device has
// the flag `captured_by` of graph_flags().
template <typename Execute>
ze_result_t execute_lists_on(ze_command_list_handle_t immediate, uint32_t count,
                             const ze_command_list_handle_t* lists, uint32_t captured_by,
                             const ExecutingCall& call, Execute execute) {
  const ze_command_list_handle_t graph = find_graph(immediate);
  if (graph == nullptr || (graph_flags(find_list(immediate).device) & captured_by) == 0)
    return execute_lists(count, lists, call, execute);
  const ze_result_t result = execute();
  if (result != ZE_RESULT_SUCCESS || lists == nullptr) return result;
  const OffStack<Stack> stack;
  if (stack) take_kept_stack(call.function, *stack);
  // a handler must not allocate
  if (!stack || (stack->flags & kInHandler) != 0) return result;
  for (uint32_t i = 0; i < count; ++i) list_captured(lists[i], graph);
  return result;
}

}  // namespace aiflame::agent::level_zero
