/* SPDX-License-Identifier: MIT
 *
 * Turns CUPTI's names of stall reasons into ours. Pure.
 *
 * The GPU decides which of two families of names is used: smsp__pcsamp_warps_issue_stalled_REASON
 * and smsp__pcsamp_warp_stall_REASON. Each sample is counted under its reason and, where the
 * scheduler issued nothing in that cycle, again under REASON_not_issued: the first of the two
 * counts samples, and the second, its twin, those of them that are exposed. `selected` is a warp
 * that issued, so no stall.
 */
#pragma once

#include <cstddef>

namespace aiflame::agent::cupti {

enum class StallMetric {
  other,    // no reason: smsp__pcsamp_sample_count
  samples,  // of a reason
  exposed,  // of a reason's twin
};

// Writes the REASON in a metric's name to `out`, cut to `room` bytes.
StallMetric stall_name(const char* metric, char* out, size_t room);

}  // namespace aiflame::agent::cupti
