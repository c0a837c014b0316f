// SPDX-License-Identifier: MIT
// The JSON of rocprofv3, as a stream: one process after the other.
#pragma once

#include "libcommon/io/input.h"
#include "tools/stackcollapse-rocprof/rocprof_trace.h"

namespace aiflame::rocprof {

// Throws Error if it is not rocprofv3's.
void read_json_file(ByteSource&& source, const Settings& settings, RocprofTrace& out);

}  // namespace aiflame::rocprof
