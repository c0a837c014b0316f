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
  bool findings = false;        // these alone
  bool of_total = false;        // percentages of all samples, not of the kernel's
  bool every_instruction = false;
  bool full_names = false, full_paths = false;
  std::vector<std::string> source_prefixes;
  uint64_t context = 0;
  double min_percent = 0;
  double chains = 1;  // percent of the kernel's samples
  bool json = false;
  std::string html;   // a file; of `pages` the list
  std::string pages;  // a directory for a page of each function; empty: one page has all
  std::string links;  // a file
  std::string stats;  // a file
  bool no_sandbox = false;
};

// Nothing where --help or --version was printed. Throws UsageError.
std::optional<Settings> parse_settings(int argc, char** argv);

}  // namespace aiflame::annotate
