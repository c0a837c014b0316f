/* SPDX-License-Identifier: MIT
 *
 * The agent's subscription to CUPTI, and the calls about activity records that go with it.
 *
 * Before CUDA 13.3 CUPTI serves one subscriber in a process, and activity records belong to the
 * process. From then on, with a driver of r610, it serves several. Each uses the calls that take
 * its handle, and the first one must have allowed others. CUPTI refuses a subscriber who uses the
 * older calls beside them, and the reverse (docs.nvidia.com/cupti, Multiple Subscribers).
 *
 * So the agent asks for a shared subscription first. Where it gets none, it asks for the only one,
 * and uses the older calls alone.
 */
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

#include "plugins/agents/cupti/cupti_library.h"

namespace aiflame::agent::cupti {

// Subscribes. The user is told why CUPTI refuses, and of another profiler that was there first.
CUptiResult subscribe(const Cupti& cupti, CUpti_CallbackFunc callback, CUpti_SubscriberHandle& out);

// Activity records of the last subscription. The functions are those of the older calls: where a
// subscription is shared, a buffer comes without its context and stream.
CUptiResult register_buffers(CUpti_BuffersCallbackRequestFunc request,
                             CUpti_BuffersCallbackCompleteFunc complete);
CUptiResult enable_activity(CUpti_ActivityKind kind);
void disable_activity(CUpti_ActivityKind kind);
// The record after `record` in a buffer, or null: the first one after null.
CUpti_Activity* next_record(uint8_t* buffer, size_t valid, CUpti_Activity* record);
// How many records CUPTI has dropped since the last call; 0 also when it does not say.
size_t count_dropped_records(CUcontext context, uint32_t stream);
// Makes records have our clock, where CUPTI can: not where the subscription is shared.
void set_clock(CUpti_TimestampCallbackFunc clock);
// The time by the clock of records. False when CUPTI does not say.
[[nodiscard]] bool read_clock(uint64_t& out);

}  // namespace aiflame::agent::cupti
