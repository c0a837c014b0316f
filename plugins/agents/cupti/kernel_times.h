/* SPDX-License-Identifier: MIT
 *
 * When kernels ran, by CUPTI's activity records. They need no privilege, and do not slow kernels
 * that run beside one another.
 */
#pragma once

#include "plugins/agents/cupti/cupti_library.h"

namespace aiflame::agent::cupti {

// Whether there will be records; else the user is told why not.
bool start_kernel_times(const Cupti& cupti);
// Records of kernels that have ended come to kernel_ran(). `last`: also what is not full or done.
void read_kernel_times(bool last);
// There are no more; CUPTI's buffers come back.
void end_kernel_times();
// Sampling may have switched them off.
void keep_kernel_times();

}  // namespace aiflame::agent::cupti
