/* SPDX-License-Identifier: MIT
 *
 * Allocations and frees of device memory, for --memory, from the calls of the driver's API. The
 * runtime's (cudaMalloc, cudaMallocAsync) make these further down the stack. CUPTI also writes
 * activity records of memory, but those come later, in another thread, and without a stack: these
 * callbacks would be needed all the same.
 */
#pragma once

#include <cupti.h>

#include <cstdint>

#include "plugins/agents/cupti/cupti_library.h"

namespace aiflame::agent::cupti {

// The calls to be called back for.
constexpr CUpti_CallbackId kMemoryCalls[] = {CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemCreate,
                                             CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemAllocNode};

// Enables them, if memory is to be recorded.
void enable_memory_calls(const Cupti& cupti, CUpti_SubscriberHandle subscriber);
// Around one of these calls. `device` as given to report_device().
void memory_call_entered(CUpti_CallbackId id, const CUpti_CallbackData& call, uint32_t device);
void memory_call_left(CUpti_CallbackId id, const CUpti_CallbackData& call, uint32_t device);
// A node of a graph allocates memory each time that the graph is launched, by no call.
void memory_node_created();

}  // namespace aiflame::agent::cupti
