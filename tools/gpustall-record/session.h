// SPDX-License-Identifier: MIT
// One recording, from the start of the command to the summary.
#pragma once

#include <string>

#include "tools/gpustall-record/capture/capture_options.h"
#include "tools/gpustall-record/capture/inherited_signals.h"
#include "tools/gpustall-record/capture/source.h"
#include "tools/gpustall-record/flight/flight_options.h"

namespace aiflame::record {

// Records into `output` ("" and "-" = standard output), as `flight` says. The command gets the
// signals of `inherited`. Returns the exit status: the command's own;
// 0 without a command. Throws Error.
int run_session(Source& source, const std::string& output, const CaptureOptions& options,
                const FlightOptions& flight, const InheritedSignals& inherited);

}  // namespace aiflame::record
