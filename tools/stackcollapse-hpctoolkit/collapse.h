// SPDX-License-Identifier: MIT
// A database as counted stacks.
#pragma once

#include <string>
#include <vector>

#include "libcommon/device/device_frames.h"
#include "libcommon/import/importer.h"

namespace aiflame::hpctoolkit {

struct Settings {
  ImportSettings import;
  std::string metric;                    // --metric; empty takes the default
  std::vector<std::string> objects;      // --objects
  std::vector<std::string> identifiers;  // --ids
  DeviceRules device;
};

// Adds one database. Throws Error.
void collapse(const std::string& folder, const Settings& settings, ImportedStacks& stacks);

}  // namespace aiflame::hpctoolkit
