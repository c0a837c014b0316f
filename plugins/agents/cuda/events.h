/* SPDX-License-Identifier: MIT
 *
 * Device times of launches by events of CUDA: one is recorded into the launch's stream before it
 * and one after it, and the time between them is taken for the launch's. It holds what the device
 * does between them besides, some microseconds for a stream that was idle, so it is an estimate.
 *
 * Events tell no time of day. A launch is taken to begin when it was made, or when the one before
 * it in its stream ended.
 *
 * No thread waits for events. They are asked when the program launches again, when it has waited
 * for the device, and at its end.
 */
#pragma once

#include <cuda.h>

#include <cstdint>

#include "plugins/agents/common/channel.h"

namespace aiflame::agent::cuda {

// Two events, by their number.
using Pair = uint32_t;
constexpr Pair kNoPair = UINT32_MAX;
enum Edge : uint8_t { begin, end };

// Where the recorder wants times, begins to measure. The program has started the driver. Returns
// why it cannot, a line for the user, or null.
[[nodiscard]] const char* start_events();

// A pair for a launch in the current context; kNoPair where there is none. First it reports some
// launches that have ended.
Pair take_pair();
void give_back(Pair pair);
// False when the driver refuses.
[[nodiscard]] bool record_event(Pair pair, Edge edge, CUstream stream, bool is_per_thread);
// Both events of this launch are recorded.
void await_end(Pair pair, const Launched& launched, CUstream stream, bool is_per_thread);

// Reports all launches that have ended.
void settle_events();
// The context is about to go, or with null perhaps any: its events are given back to the driver,
// and launches that have not ended get no times.
void forget_events(CUcontext context);

}  // namespace aiflame::agent::cuda
