/* SPDX-License-Identifier: MIT
 *
 * Launches of graphs: one call launches many kernels, which CUPTI reports once they have run.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"

namespace aiflame::agent::cupti {

constexpr char kUnknownKernel[] = "[unknown kernel]";
constexpr char kGraph[] = "[cuda graph]\0[cuda]";

// The stack of the call, kept until then. Equal ones are kept once, and for good.
struct GraphLaunch {
  uint64_t key;
  uint32_t tid;
  char comm[16];
  uint32_t front_bytes;
  char front[AGENT_MAX_FRONT];
  Stack* stack;
};

// Keeps the calling thread's stack, with these frames at its top. Null without memory, or when
// there are too many.
const GraphLaunch* keep_graph_launch(const char* front, uint32_t front_bytes);
// The launch of one kernel of it; `object` holds the kernel, 0 = not known.
Launch launch_of_graph(const GraphLaunch& graph, const char* kernel, uint32_t device,
                       uint64_t object);

}  // namespace aiflame::agent::cupti
