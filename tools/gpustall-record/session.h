// SPDX-License-Identifier: MIT
// One recording, from the start of the command to the summary.
#pragma once

#include <string>

#include "tools/gpustall-record/agents/attached_agent.h"
#include "tools/gpustall-record/command/capture_options.h"
#include "tools/gpustall-record/command/inherited_signals.h"
#include "tools/gpustall-record/flight/flight_options.h"
#include "tools/gpustall-record/source/capture_plan.h"
#include "tools/gpustall-record/source/source.h"

namespace aiflame::record {

// Records into `output` ("" and "-" = standard output), as `flight` says. `others`: the agents that
// are not the command's. The command gets the
// signals of `inherited`. Returns the exit status: the command's own;
// 0 without a command. Throws Error.
int run_session(Source& source, const std::string& output, const CaptureOptions& options,
                const CapturePlan& plan, const AttachedAgent& others, const FlightOptions& flight,
                const InheritedSignals& inherited);

}  // namespace aiflame::record
