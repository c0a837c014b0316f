/* SPDX-License-Identifier: MIT
 *
 * The reasons of stalls as CUPTI names them on a device, and as we do. Pure.
 *
 * Two families of names, by the GPU: smsp__pcsamp_warps_issue_stalled_REASON and
 * smsp__pcsamp_warp_stall_REASON. Each sample is counted under its reason and, where the scheduler
 * issued nothing in that cycle, again under REASON_not_issued: only the first of the two is a count
 * of samples. `selected` is a warp that was issued, no stall.
 */
#pragma once

#include <cstddef>

namespace aiflame::agent::cupti {

// REASON of a metric's name, into `out` of `room` bytes, cut where that is too small. False for the
// twin of another reason, and for what is no reason (smsp__pcsamp_sample_count).
bool stall_name(const char* metric, char* out, size_t room);

}  // namespace aiflame::agent::cupti
