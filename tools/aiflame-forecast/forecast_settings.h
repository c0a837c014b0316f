// SPDX-License-Identifier: MIT
// The command line of aiflame-forecast.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/aiflame-forecast/forecast.h"
#include "tools/aiflame-forecast/schedule.h"

namespace aiflame::forecast {

struct ForecastSettings {
  std::string from, to;  // names or paths of devices
  Mode mode = Mode::scale;
  Method method = Method::table;
  DataType type = DataType::fp32;
  // of operator graphs
  Schedule plan;
  Cluster cluster;
  bool fuse = false;
  bool list_devices = false;
  bool no_sandbox = false;
  std::vector<std::string> paths;
};

// Nothing if --help or --version was given. Throws UsageError.
std::optional<ForecastSettings> parse_forecast_settings(int argc, char** argv);

}  // namespace aiflame::forecast
