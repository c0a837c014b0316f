/* SPDX-License-Identifier: MIT
 *
 * The executable mappings of the process, which the recorder needs to name the frames of stacks.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"

namespace aiflame::agent {

// Writes the mappings anew when libraries have come or gone, or when a frame lies in a mapping that
// is not known. Does nothing while another thread is at it: the recorder then looks into /proc.
void report_maps(agent_ring* to, const uint64_t* frames, uint32_t count);

// The recorder knows none.
void forget_mappings();

}  // namespace aiflame::agent
