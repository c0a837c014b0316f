/* SPDX-License-Identifier: MIT
 *
 * The executable mappings of the process, which the recorder needs to name the frames of stacks.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"

namespace aiflame::agent {

// Writes the mappings anew when libraries were loaded or unloaded, or when a frame lies in a
// mapping that is not known. Does nothing while another thread does this: the recorder then reads
// /proc.
void report_maps(agent_ring* to, const uint64_t* frames, uint32_t count);

// Forgets what was written: a new recorder knows no mappings.
void forget_mappings();

}  // namespace aiflame::agent
