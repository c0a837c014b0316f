/* SPDX-License-Identifier: MIT
 *
 * The connection to the recorder: who it is, and how files get there. The rest of the connection is
 * in channel.h.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace aiflame::agent {

// Sends `what` and a descriptor to the recorder, over a connection of its own. Never waits: a full
// backlog is a failure like any other.
bool send_with(const void* what, size_t bytes, int passed_fd);

// A hash of the agent's name. It becomes the upper bits of the agent's numbers for launches and
// objects, so that the agents of a process, which do not know each other, use different numbers.
uint64_t hash_of_agent();

}  // namespace aiflame::agent
