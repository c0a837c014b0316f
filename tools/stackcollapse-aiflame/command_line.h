// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tools/stackcollapse-aiflame/settings.h"

namespace aiflame::collapse {

struct CommandLine {
  Settings settings;
  bool no_sandbox = false;
  std::vector<std::string> inductor;  // --inductor: files
  std::string stats;                  // --stats: empty where it was not given
  std::vector<std::string> inputs;    // one at least; "-" is standard input
};

// False where there is nothing to do: --help and --version. Throws UsageError.
[[nodiscard]] bool parse_command_line(int argc, char** argv, CommandLine& out);

}  // namespace aiflame::collapse
