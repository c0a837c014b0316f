// SPDX-License-Identifier: MIT
// The command line of aiflame-merge.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace aiflame::merge {

struct MergeSettings {
  std::vector<std::string> paths;
  bool mixed = false;  // counts of different units or periods
  bool no_sandbox = false;
};

// Nothing if --help or --version was given. Throws UsageError, and Error where a list of files
// cannot be read.
std::optional<MergeSettings> parse_merge_settings(int argc, char** argv);

}  // namespace aiflame::merge
