// SPDX-License-Identifier: MIT
// The command line of gpustall-record.
#pragma once

#include <string>

#include "tools/gpustall-record/command/capture_options.h"
#include "tools/gpustall-record/flight/flight_options.h"

namespace aiflame::record {

struct Arguments {
  CaptureOptions capture;
  FlightOptions flight;
  std::string source;  // "" = the first that has a device
  std::string output;  // "" and "-" = standard output
  std::string input;   // the recording to copy
  bool list = false;
  bool print_environment = false;  // for programs that come to capture.listen
};

// False when an option like --help has been answered. Throws UsageError.
[[nodiscard]] bool parse_arguments(int argc, char** argv, Arguments& a);

}  // namespace aiflame::record
