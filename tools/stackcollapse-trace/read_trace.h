// SPDX-License-Identifier: MIT
// Reads a file and keeps what joining needs.
#pragma once

#include <string>

#include "tools/stackcollapse-trace/keep/frame_names.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

Trace read_trace(const std::string& path, FrameNames& names, const TraceSettings& settings);

}  // namespace aiflame::trace
