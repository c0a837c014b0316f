// SPDX-License-Identifier: MIT
// What is done of what was asked for (CaptureOptions): it depends on the source and on the agents
// that were found.
#pragma once

#include <cstdint>
#include <string>

#include "tools/gpustall-record/agents/attached_agent.h"
#include "tools/gpustall-record/command/capture_options.h"
#include "tools/gpustall-record/source/choose_source.h"

namespace aiflame::record {

struct CapturePlan {
  bool samples = true;                        // false: launches only
  LaunchStacks stacks = LaunchStacks::agent;  // never automatic
  uint64_t period = 0;                        // 0 = the source's default
  // How the source's agent samples: as asked, or as a process that runs already was told; "" and 0
  // = its default.
  std::string sampling;
  uint64_t duty = 0;  // percent of the time
};

// Throws UsageError for options that are not for the source, and for those that come too late.
CapturePlan plan_capture(const ChosenSource& chosen, const CaptureOptions& options,
                         const AttachedAgent& others);

}  // namespace aiflame::record
