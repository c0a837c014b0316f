/* SPDX-License-Identifier: MIT
 *
 * Command lists: what was appended to each, and where, until it is executed. A list that is
 * executed again launches it all again.
 */
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>

#include "plugins/agent/channel.h"
#include "plugins/level-zero/modules.h"

namespace aiflame::agent {

void immediate_list_created(ze_command_list_handle_t list);
// What is appended to it runs without being executed.
bool is_immediate(ze_command_list_handle_t list);

void list_created(ze_command_list_handle_t list);
void list_destroyed(ze_command_list_handle_t list);
// It is empty again, and keeps its handle.
void list_reset(ze_command_list_handle_t list);
void list_cloned(ze_command_list_handle_t from, ze_command_list_handle_t to);

// `kernel` was appended at `stack`.
void appended(ze_command_list_handle_t list, const Kernel& kernel, const Stack& stack);
// Reports what the list launches, executed from `stack`. `failed`: takes that back.
void executed(ze_command_list_handle_t list, const Stack& stack, uint64_t time, bool failed);
// Whether executing it launches anything.
bool launches_something(ze_command_list_handle_t list);

// Around fork(2).
void lock_lists();
void unlock_lists();

}  // namespace aiflame::agent
