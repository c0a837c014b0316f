/* SPDX-License-Identifier: MIT
 *
 * The ranges of ITT and roctx. They come to an agent of their own (plugins/agents/ranges), since
 * only one library can be the collector of ITT, and a program may launch through several
 * interfaces. An agent that sees launches asks it for what is open on the launching thread.
 */
#pragma once

#include <cstdint>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent {

// Loads the range agent, if AGENT_RANGES_ENVIRONMENT names it. Not on a launch's path.
void find_range_agent();
// Whether the calling thread has open ranges, here or there.
bool has_any_open_ranges();
// Writes them as append_open_ranges() does, those of this agent first.
uint32_t append_all_open_ranges(char* out, uint32_t room);

// Room for the frames at the top of a stack, as in Launch.
struct FrontText {
  char text[AGENT_MAX_FRONT];
};
// The frames and, below them, the open ranges, in `room` where there are any. What is at the result
// lives as long as both.
struct Front {
  const char* at;
  uint32_t bytes;
};
inline Front with_open_ranges(const char* frames, uint32_t bytes, const OffStack<FrontText>& room) {
  if (!has_any_open_ranges() || !room) return {frames, bytes};
  std::memcpy(room->text, frames, bytes);
  return {room->text,
          bytes + append_all_open_ranges(room->text + bytes, sizeof room->text - bytes)};
}
// The API's function by its name, as its address would stand above the ranges, and the ranges.
// Returns the number of bytes. `object`: "[opencl]".
uint32_t write_range_front(const char* api_function, const char* object, FrontText& front);

// An API function of the program's runtime.
struct ApiFunction {
  const char* name;
  const void* address;
};
// Puts the call into `report`, a Launch or an Allocation: the function by its address, or by its
// name with the ranges that are open below it. `front` lives as long as the report.
template <typename Report>
void set_call(Report& report, const ApiFunction& function, const char* object,
              const OffStack<FrontText>& front) {
  if (front && has_any_open_ranges()) {
    report.front = front->text;
    report.front_bytes = write_range_front(function.name, object, *front);
  } else {
    report.api_function = function.address;
  }
}

}  // namespace aiflame::agent
