/* SPDX-License-Identifier: MIT
 *
 * The ranges that are open on the calling thread: the program's own account of what it is doing.
 * One of them may be numbered, as AGENT_NUMBER_RANGES_ENVIRONMENT asks.
 */
#pragma once

#include <cstdint>

namespace aiflame::agent {

// Whose ranges they are. The recorder has this as the frame's object: "[nvtx]".
enum class RangeKind : uint8_t { nvtx, itt, roctx };

// The longest name that is kept, with its ending 0.
constexpr uint32_t kMaxRangeName = 96;

// Reads what is to be numbered from the environment.
void begin_ranges();
// `name` may be null or empty.
void push_range(const char* name, RangeKind kind);
void pop_range();

bool has_open_ranges();
// Writes them as frames of agent_stack, innermost first: "forward" 0 "[nvtx]" 0. Returns the number
// of bytes; only whole frames are written.
uint32_t append_open_ranges(char* out, uint32_t room);

}  // namespace aiflame::agent
