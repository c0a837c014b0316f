/* SPDX-License-Identifier: MIT
 *
 * Reports of launches, which the program makes by calls of the driver.
 */
#pragma once

#include <cuda.h>

#include <cstdint>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/cuda/events.h"
#include "plugins/agents/cuda/interposed.h"

namespace aiflame::agent::cuda {

// Connects to the recorder. The driver is there. The first call counts.
void start(const void* launch_function);

// A launch that has been reported.
struct Begun {
  Launched launched;
  Pair pair;       // of events that time it; kNoPair = it is untimed
  bool has_event;  // the one before it
};

// Before a launch of `function`, or with null of a graph. Reports nothing where the stream is being
// captured: nothing runs then.
Begun launch_begins(const Interposed& call, CUfunction function, const LaunchExtent& size,
                    CUstream stream);
// After it.
void launch_ends(const Interposed& call, const Begun& begun, CUstream stream, CUresult result);

}  // namespace aiflame::agent::cuda
