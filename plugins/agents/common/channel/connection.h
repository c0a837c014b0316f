/* SPDX-License-Identifier: MIT
 *
 * The connection to the recorder: who it is, and how files get there. The rest of the connection is
 * in channel.h.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"

namespace aiflame::agent {

// Sends the memfd of a code object to the recorder; fills in the secret. Never waits: without room
// on the way the object is missed, which the recorder counts.
[[nodiscard]] bool send_object_with(agent_object object, int passed_fd);

// A hash of the agent's name. It becomes the upper bits of the agent's numbers for launches and
// objects, so that the agents of a process, which do not know each other, use different numbers.
uint64_t hash_of_agent();

}  // namespace aiflame::agent
