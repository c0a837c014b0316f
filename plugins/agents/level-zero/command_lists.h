/* SPDX-License-Identifier: MIT
 *
 * Command lists: what was appended to each list, and from where, kept until the list goes. Each
 * execution of a list launches all of it again.
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
  Flights* flights;       // null = launches on it are not timed
  ze_result_t capturing;  // what capture_state() of launches.h returned then
  bool immediate;         // what is appended runs at once
  bool copy_engine;       // its engine runs no kernels
};
void list_created(ze_command_list_handle_t list, const ListInfo& info);
ListInfo find_list(ze_command_list_handle_t list);

void list_destroyed(ze_command_list_handle_t list);
// The list is empty again, and keeps its handle.
void list_reset(ze_command_list_handle_t list);
void list_cloned(ze_command_list_handle_t from, ze_command_list_handle_t to);

// `kernel` was appended from `stack`. It signals the program's event, or an event of the agent kept
// for it; with neither, its launches are not timed.
void appended(ze_command_list_handle_t list, const Kernel& kernel, const Stack& stack,
              ze_event_handle_t signal, Event* kept);
// The same for `count` kernels, of which nothing can be kept. Their launches will be counted as
// lost.
void appended_unreported(ze_command_list_handle_t list, uint32_t count);
// Reports the launches of a list that is executed from `stack`. `failed` takes that report back.
void executed(ze_command_list_handle_t list, const Stack& stack, uint64_t time, bool failed);
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
