// SPDX-License-Identifier: MIT
// What the agent of a source is asked to sample.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/gpustall-record/command/capture_options.h"
#include "tools/gpustall-record/source/capture_plan.h"
#include "tools/gpustall-record/source/source.h"

namespace aiflame::record {

// Throws UsageError for a device that no agent can be told of: the programs are not the command's.
void refuse_device(const Source& source, const CaptureOptions& options);

// The value of AGENT_SAMPLE_ENVIRONMENT: what the agent of `source` shall sample.
std::string sample_request(const Source& source, const std::vector<Device>& devices,
                           const CaptureOptions& options);
// The reverse: how an agent samples that has had such a request.
void take_sample_request(std::string_view request, CapturePlan& plan);

}  // namespace aiflame::record
