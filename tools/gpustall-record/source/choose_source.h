// SPDX-License-Identifier: MIT
// Chooses the source to record among the installed ones.
#pragma once

#include <memory>
#include <string>

#include "tools/gpustall-record/agents/attached_agent.h"
#include "tools/gpustall-record/command/capture_options.h"
#include "tools/gpustall-record/source/source.h"

namespace aiflame::record {

struct ChosenSource {
  std::unique_ptr<Source> source;
  std::string obstacle;  // why it cannot sample; "" when it can
};

// The source `wanted`, or for "" the first one that has a device. When none has a device, the first
// one that has an agent, if `options` allow agents: a command's launches and their device time are
// still worth recording. `others`: see agents_of_others(). Throws Error.
ChosenSource choose_source(const std::string& wanted, const CaptureOptions& options,
                           const AttachedAgent& others);

// Prints each source, or `wanted` unless that is "", and its description, followed by its devices
// or the reason it has none, in the order in which choose_source() tries them. Returns the exit
// status. Throws Error where there is no source `wanted`.
int list_sources(const std::string& wanted, const CaptureOptions& options);

}  // namespace aiflame::record
