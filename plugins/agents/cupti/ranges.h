/* SPDX-License-Identifier: MIT
 *
 * The NVTX ranges that are open on the calling thread: what a program says itself of what it is
 * doing. NVTX loads the agent by NVTX_INJECTION64_PATH, when the program first uses it.
 */
#pragma once

#include <cstdint>

namespace aiflame::agent::cupti {

bool has_open_ranges();
// As frames of agent_stack, the innermost first: "forward" 0 "[nvtx]" 0. Returns how many bytes,
// whole frames only.
uint32_t append_open_ranges(char* out, uint32_t room);

}  // namespace aiflame::agent::cupti
