// SPDX-License-Identifier: MIT
// The command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace aiflame::front {

struct Settings {
  enum class Task { draw, compare, record };

  Task task = Task::draw;
  std::vector<std::string> files;    // draw: all; compare: before and after
  std::vector<std::string> record;   // the options of gpustall-record
  std::vector<std::string> command;  // what it records; or nothing
  std::string pid;                   // of its option -p; or ""
  std::string output;                // "": named after the first file or the program; "-": stdout
  bool open = false, print = false;
};

// Nothing if --help or --version was given. Throws UsageError.
std::optional<Settings> parse_settings(int argc, char** argv);

}  // namespace aiflame::front
