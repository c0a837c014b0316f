// SPDX-License-Identifier: MIT
// How each vendor's runtime is made to load its agent: through environment variables of the
// command.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/gpustall-record/capture/capture_options.h"
#include "tools/gpustall-record/capture/source.h"

namespace aiflame::record {

using Environment = std::vector<std::pair<std::string, std::string>>;  // names and values

// The variables that load every installed agent. A program may use several interfaces, and the
// agents of those that it does not use are never loaded. `address` is AgentHost's. Warns when a
// variable that the user has set keeps an agent from being loaded.
Environment agent_environment(const CaptureOptions& options, const std::string& address);

// The value of AGENT_SAMPLE_ENVIRONMENT: what the agent of `source` shall sample.
std::string sample_request(const Source& source, const std::vector<Device>& devices,
                           const CaptureOptions& options);

}  // namespace aiflame::record
