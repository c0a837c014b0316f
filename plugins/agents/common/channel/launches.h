/* SPDX-License-Identifier: MIT */
#pragma once

#include <cstdint>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/ring.h"

namespace aiflame::agent {

// The id of the calling thread's stack from `call` on; writes the stack unless the recorder has it.
uint64_t report_stack_here(agent_ring* to, const Launch& call);

}  // namespace aiflame::agent
