// SPDX-License-Identifier: MIT
// Chooses the devices of a source to record.
#pragma once

#include <vector>

#include "tools/gpustall-record/command/capture_options.h"
#include "tools/gpustall-record/source/source.h"

namespace aiflame::record {

// Those of `devices` that the options ask for and that have no obstacle; warns of the obstacles of
// the others. Throws Error when none is left.
std::vector<Device> wanted_devices(const Source& source, std::vector<Device> devices,
                                   const CaptureOptions& options);

}  // namespace aiflame::record
