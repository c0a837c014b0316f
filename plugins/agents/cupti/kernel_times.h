/* SPDX-License-Identifier: MIT
 *
 * When kernels ran, from CUPTI's activity records. They need no privilege, and do not serialise
 * concurrent kernels.
 */
#pragma once

#include "plugins/agents/cupti/cupti_library.h"

namespace aiflame::agent::cupti {

// Tells the user why, where there will be no records.
void start_kernel_times(const Cupti& cupti);
// Whether CUPTI has records of functions of the host, and makes them: a newer one than 13.0.
bool records_host_functions();
// Passes the records of finished kernels to kernel_ran(). `last`: of unfinished buffers too.
void read_kernel_times(bool last);
// The device time of all kernels that have ended, in nanoseconds; that of kernels that ran together
// counts for each.
uint64_t kernel_ns();
// Ends the records; CUPTI returns its buffers.
void end_kernel_times();
// An API call or a record has no number that joins them. From the next read on CUPTI is asked for
// records of the calls too: by the documentation of 13.4 (Correlation ID Mechanism) it numbers only
// calls that it records. With CUPTI 13.0 on an H100 and an H200 it numbered them all.
void note_missing_correlation();
// Switches the records on again, as enabling sampling may have switched them off.
void keep_kernel_times();

}  // namespace aiflame::agent::cupti
