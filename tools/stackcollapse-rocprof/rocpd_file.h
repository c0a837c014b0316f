// SPDX-License-Identifier: MIT
// rocpd, what rocprofv3 writes by default since ROCm 7.0: an SQLite file with tables
//
//   rocpd_kernel_dispatch_00000a1b   pid tid agent_id kernel_id queue_id stream_id start end
//   event_id rocpd_region_00000a1b            pid tid start end name_id event_id   calls of HIP,
//   roctx ranges rocpd_memory_copy_00000a1b       pid tid start end name_id src_agent_id
//   dst_agent_id event_id rocpd_event_00000a1b             id category_id stack_id extdata
//   rocpd_string_00000a1b            id string
//
// The suffix is the recording's; a file that was merged has several. Its views are not used: they
// are other ones in each version.
#pragma once

#include <string>

#include "tools/stackcollapse-rocprof/rocprof_trace.h"

namespace aiflame::rocprof {

// Throws Error if it is not rocprofv3's.
void read_rocpd_file(const std::string& path, RocprofTrace& out);

// {"message": "forward"} → forward, of an event's extdata. Empty: it has none.
std::string message_of(std::string_view extdata);

}  // namespace aiflame::rocprof
