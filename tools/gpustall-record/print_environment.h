// SPDX-License-Identifier: MIT
// --print-env: what has to be set in an image whose programs --listen shall record.
#pragma once

#include <string>

#include "tools/gpustall-record/command/capture_options.h"

namespace aiflame::record {

// Writes NAME=VALUE lines to standard output, and makes the directory and its secret when they are
// not there yet. options.plugin_directory is where the image has the agents. `source` "" = none
// that takes its samples in the program. Returns the exit status. Throws Error.
int print_environment(const CaptureOptions& options, const std::string& source);

}  // namespace aiflame::record
