/* SPDX-License-Identifier: MIT
 *
 * Command lists: what was appended to each, and where, until it is executed. A list that is
 * executed again launches it all again.
 */
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/level-zero/devices.h"
#include "plugins/agents/level-zero/launch_times.h"
#include "plugins/agents/level-zero/modules.h"

namespace aiflame::agent::level_zero {

// What is known of a list since it was made; of one made by a function that this agent does not
// know, that it is to be executed.
struct ListInfo {
  ze_context_handle_t context;
  Device* device;
  Flights* flights;       // null: launches on it are not timed
  ze_result_t capturing;  // what is_capturing() of layer.cc answered then
  bool immediate;         // what is appended to it runs without being executed
  bool copy_engine;       // it runs no kernels
};
void list_created(ze_command_list_handle_t list, const ListInfo& info);
ListInfo find_list(ze_command_list_handle_t list);

void list_destroyed(ze_command_list_handle_t list);
// It is empty again, and keeps its handle.
void list_reset(ze_command_list_handle_t list);
void list_cloned(ze_command_list_handle_t from, ze_command_list_handle_t to);

// `kernel` was appended at `stack`, and signals the program's event or one that was kept for it;
// both null: its launches are not timed.
void appended(ze_command_list_handle_t list, const Kernel& kernel, const Stack& stack,
              ze_event_handle_t signal, Event* kept);
// Reports what the list launches, executed from `stack`. `failed`: takes that back.
void executed(ze_command_list_handle_t list, const Stack& stack, uint64_t time, bool failed);
// It is about to be executed, and nobody is told: only the agent's events in it are kept in order.
void executed_untold(ze_command_list_handle_t list);
// Whether executing it launches anything.
bool launches_something(ze_command_list_handle_t list);

// Around fork(2).
void lock_lists();
void unlock_lists();

}  // namespace aiflame::agent::level_zero
