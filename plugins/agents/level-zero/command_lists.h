/* SPDX-License-Identifier: MIT
 *
 * Command lists: what was appended to each list, and from where, kept until the list goes. Each
 * execution of a list launches all of it again. Graphs, and what is instantiated from them, are
 * lists here, each under its own handle; see graphs.h.
 */
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/level-zero/devices.h"
#include "plugins/agents/level-zero/launch_times.h"
#include "plugins/agents/level-zero/modules.h"

namespace aiflame::agent::level_zero {

// What is known of a list since it was made. A list made by a function unknown to the agent is
// taken to be a regular one.
struct ListInfo {
  ze_context_handle_t context;
  Device* device;
  Flights* flights;  // null = launches on it are not timed
  bool immediate;    // what is appended runs at once
  bool copy_engine;  // its engine runs no kernels
};
void list_created(ze_command_list_handle_t list, const ListInfo& info);
ListInfo find_list(ze_command_list_handle_t list);
bool is_known_list(ze_command_list_handle_t list);
// Sets whether a capture has begun on this list; returns what was set before.
bool exchange_capturing(ze_command_list_handle_t list, bool capturing);

void list_destroyed(ze_command_list_handle_t list);
// The list is empty again, and keeps its handle.
void list_reset(ze_command_list_handle_t list);
// `to` launches what `from` has, and signals the same events.
void list_cloned(ze_command_list_handle_t from, ze_command_list_handle_t to);
// Each execution of `graph` also executes `list` from now on.
void list_captured(ze_command_list_handle_t list, ze_command_list_handle_t graph);

// `kernel` was appended from `stack`. It signals the program's event, or an event of the agent kept
// for it; with neither, its launches are not timed.
void appended(ze_command_list_handle_t list, const Kernel& kernel, const Stack& stack,
              ze_event_handle_t signal, Event* kept);
// Whether one more event of the agent's may be kept for the list.
bool may_keep_event(ze_command_list_handle_t list);
// As appended(), for `count` kernels of which nothing can be kept. Their launches will be counted
// as lost.
void appended_unreported(ze_command_list_handle_t list, uint32_t count);
// From where lists are executed. `front`: as in Launch; null for lists that are no graphs.
struct Execution {
  const Stack& stack;
  const char* front;
  uint32_t front_bytes;
  uint64_t time;  // CLOCK_MONOTONIC ns
};
// Reports the launches of a list that is executed. `failed` takes that report back.
void executed(ze_command_list_handle_t list, const Execution& from, bool failed);
// The list is about to be executed without a report. Only updates the agent's events in it.
void executed_unreported(ze_command_list_handle_t list);
// The list is about to be executed, and its launches are counted as lost.
void executed_lost(ze_command_list_handle_t list);
// Whether an execution launches anything.
bool launches_something(ze_command_list_handle_t list);

// Around fork(2).
void lock_lists();
void unlock_lists();

}  // namespace aiflame::agent::level_zero
