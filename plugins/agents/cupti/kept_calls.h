/* SPDX-License-Identifier: MIT
 *
 * Stacks of calls that have returned when their kernels run. CUPTI reports the kernels of a graph's
 * launch once they have run. A captured kernel runs each time the graph is launched.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/range_agent.h"

namespace aiflame::agent::cupti {

struct KeptCall {
  uint64_t key;
  uint32_t tid;
  char comm[16];
  uint32_t front_bytes;
  const char* front;  // as in Launch
  const Stack* stack;
};

// Keeps the calling thread's stack, with these frames at its top. Equal calls are kept once, and
// for good. Null without memory, in a signal's handler, or when there are too many.
const KeptCall* keep_graph_launch(const char* front, uint32_t front_bytes);
// The same for a stack that may be reported to a later recorder.
const KeptCall* keep_capture(const char* front, uint32_t front_bytes);

// What a kept call has launched, by its name.
Launch launch_of_call(const KeptCall& call, const char* name, uint32_t device);
// One kernel of a graph's launch. `captured`: the call that made its node, or null. `object` holds
// the kernel, 0 = not known. `front` must live as long as the result.
Launch launch_of_graph(const KeptCall& graph, const KeptCall* captured, const char* kernel,
                       uint32_t device, uint64_t object, FrontText& front);

}  // namespace aiflame::agent::cupti
