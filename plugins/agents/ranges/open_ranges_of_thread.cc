/* SPDX-License-Identifier: MIT
 *
 * What the agents that see launches ask: the ranges that are open on the calling thread.
 */
#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/open_ranges.h"

// As append_open_ranges(). Without room: 1 if there are any.
extern "C" __attribute__((visibility("default"))) uint32_t aiflame_open_ranges(char* out,
                                                                               uint32_t room) {
  if (out == nullptr) return aiflame::agent::has_open_ranges() ? 1 : 0;
  return aiflame::agent::append_open_ranges(out, room);
}
