/* SPDX-License-Identifier: MIT
 *
 * CUPTI's refusals in words: why, and what helps. The program goes on in each case.
 */
#pragma once

#include <cupti_result.h>

namespace aiflame::agent::cupti {

// Tells the user. `what` is what is missing: "no samples", "no launches".
void report_obstacle(const char* what, CUptiResult result);
// The same for an answer that CUPTI has not given yet but would give: without the error's number.
void report_foreseen(const char* what, CUptiResult result);

// CUPTI has stopped working in this process and must not be called any more (cupti_callbacks.h,
// CUPTI_CBID_STATE_FATAL_ERROR). `why` is its reason, or null.
void give_up(CUptiResult result, const char* why);
bool has_given_up();

}  // namespace aiflame::agent::cupti
