/* SPDX-License-Identifier: MIT
 *
 * How messages with a descriptor get to the recorder: over the inherited socket, else over a
 * connection to its directory. agent_channel.h says why there are two ways.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/agents/common/channel/recorder_address.h"

namespace aiflame::agent {

// Sends `what` and a descriptor, or two, to the recorder at `to`. While both ways are full, tries
// again for `wait_ns`. Nothing is sent to anyone but the recorder. A failure other than a recorder
// that has gone is written into its file `missed`, under `magic`.
[[nodiscard]] bool deliver(const RecorderAddress& to, const void* what, size_t bytes, int passed_fd,
                           uint64_t wait_ns, uint32_t magic, int second_fd = -1);

// Writes into the recorder's file `missed` that this process could not send its ring
// (AGENT_MAGIC) or a code object (AGENT_OBJECT_MAGIC).
void report_missed(const RecorderAddress& to, uint32_t magic);

}  // namespace aiflame::agent
