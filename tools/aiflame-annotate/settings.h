// SPDX-License-Identifier: MIT
// What the command line asks for.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/text/pattern.h"

namespace aiflame::annotate {

struct Settings {
  std::vector<std::string> inputs;
  std::string event;            // empty: the first that there is
  std::deque<Pattern> kernels;  // any must match; none: all
  bool lines = false;           // a summary by source line
  bool of_total = false;        // percentages of all samples, not of the kernel's
  bool every_instruction = false;
  bool full_names = false, full_paths = false;
  std::vector<std::string> source_prefixes;
  uint64_t context = 0;
  double min_percent = 0;
  bool json = false;
  std::string html;   // a file
  std::string links;  // a file
  std::string stats;  // a file
  bool no_sandbox = false;
};

// Nothing where --help or --version was printed. Throws UsageError.
std::optional<Settings> parse_settings(int argc, char** argv);

}  // namespace aiflame::annotate
