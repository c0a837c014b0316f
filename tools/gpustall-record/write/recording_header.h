// SPDX-License-Identifier: MIT
// The header lines of a recording: machine, command, clock and devices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/gpustall-record/command/capture_options.h"
#include "tools/gpustall-record/source/capture_plan.h"
#include "tools/gpustall-record/source/source.h"

namespace aiflame::record {

// Without "# "; `origin` is the start of the recording, CLOCK_MONOTONIC ns. `has_probes`: launches
// come from uprobes. The agents of a GPUSTALL_BY_AGENT source report its devices later.
std::vector<std::string> recording_header(const Source& source, const std::vector<Device>& devices,
                                          const CaptureOptions& options, const CapturePlan& plan,
                                          bool has_probes, uint64_t origin);

}  // namespace aiflame::record
