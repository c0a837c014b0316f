/* SPDX-License-Identifier: MIT
 *
 * The ranges of ITT and roctx. They come to an agent of their own (plugins/agents/ranges), since
 * only one library can be the collector of ITT, and a program may launch through several
 * interfaces. An agent that sees launches asks it for what is open on the launching thread.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/thread_room.h"

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

// An API function of the program's runtime.
struct ApiFunction {
  const char* name;
  const void* address;
};
// Puts the call into `report`, a Launch or an Allocation: the function by its address, or by its
// name with the ranges that are open below it. `front` lives as long as the report.
template <typename Report>
void set_call(Report& report, const ApiFunction& function, const char* object,
              const OffStack<RangeFront>& front) {
  if (front && has_any_open_ranges()) {
    report.front = front->text;
    report.front_bytes = write_range_front(function.name, object, *front);
  } else {
    report.api_function = function.address;
  }
}

}  // namespace aiflame::agent
