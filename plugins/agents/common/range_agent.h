/* SPDX-License-Identifier: MIT
 *
 * The ranges of ITT and roctx. They come to an agent of their own (plugins/agents/ranges), since
 * only one library can be the collector of ITT, and a program may launch through several
 * interfaces. An agent that sees launches asks it for what is open on the launching thread.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"

namespace aiflame::agent {

// Loads the range agent, if AGENT_RANGES_ENVIRONMENT names it. Not on a launch's path.
void find_range_agent();
// Whether the calling thread has open ranges, here or there.
bool has_any_open_ranges();
// Writes them as append_open_ranges() does, those of this agent first.
uint32_t append_all_open_ranges(char* out, uint32_t room);

// The frames at the top of a launch's stack, as in Launch: the API's function by its name, as its
// address would stand above the ranges, and the ranges.
struct RangeFront {
  char text[AGENT_MAX_FRONT];
};
// Returns the number of bytes. `object`: "[opencl]".
uint32_t write_range_front(const char* api_function, const char* object, RangeFront& front);

}  // namespace aiflame::agent
