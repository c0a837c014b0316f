/* SPDX-License-Identifier: MIT
 *
 * The NVTX ranges that are open on the calling thread: the program's own account of what it is
 * doing. NVTX loads the agent through NVTX_INJECTION64_PATH when the program first uses NVTX.
 */
#pragma once

#include <cstdint>

namespace aiflame::agent::cupti {

bool has_open_ranges();
// Writes them as frames of agent_stack, innermost first: "forward" 0 "[nvtx]" 0. Returns the number
// of bytes; only whole frames are written.
uint32_t append_open_ranges(char* out, uint32_t room);

}  // namespace aiflame::agent::cupti
