/* SPDX-License-Identifier: MIT
 *
 * What CUPTI refuses, in words: why, and what helps. The program runs on in each case.
 */
#pragma once

#include <cupti_result.h>

namespace aiflame::agent::cupti {

// Tells the user, once for each `what`: "no samples", "no launches".
void tell_obstacle(const char* what, CUptiResult result);
// The same of what CUPTI would answer, and has not yet: without the number.
void tell_foreseen(const char* what, CUptiResult result);

// CUPTI has ended its work in this process by itself, and is not to be called any more
// (cupti_callbacks.h, CUPTI_CBID_STATE_FATAL_ERROR). `why` in its words, or null.
void give_up(CUptiResult result, const char* why);
bool has_given_up();

}  // namespace aiflame::agent::cupti
