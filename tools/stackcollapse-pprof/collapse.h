// SPDX-License-Identifier: MIT
// A profile as counted stacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/importer.h"

namespace aiflame::pprof {

struct Settings {
  ImportSettings import;
  std::string sample_type;          // --sample-type; empty takes the profile's
  std::vector<std::string> labels;  // --labels
  bool drop_frames = false;         // --drop-frames
};

// Adds one profile, a message of this name. Throws Error.
void collapse(std::string_view message, const std::string& name, const Settings& settings,
              ImportedStacks& stacks);

}  // namespace aiflame::pprof
