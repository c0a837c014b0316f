// SPDX-License-Identifier: MIT
// What a forecast says of itself.
#pragma once

#include <string>
#include <vector>

#include "libcommon/folded/quantity.h"
#include "tools/aiflame-forecast/forecast.h"

namespace aiflame::forecast {

struct ForecastFacts {
  Mode mode;
  Method method;
  DataType type;
  const Device* from;  // null in Mode::absolute
  const Device* to;
  bool target_is_measured;
  std::vector<std::string> beyond;  // what is extrapolated of the devices
  uint64_t nodes = 1;
  double hidden = 0;  // nanoseconds of all-reduces beside the backward pass
};

// The lines: how it was predicted, how much of it is modelled, and what it is off by. None ends in
// a digit, so that they may be comments of folded text.
std::vector<std::string> forecast_lines(const ForecastFacts& facts, const Totals& totals);

// "12.3 ms on A are 7.1 ms on B"
std::string result_line(const ForecastFacts& facts, const Totals& totals, const Quantity& before,
                        const Quantity& after, unsigned decimals);

// The devices as a table.
std::string devices_text(const std::vector<Device>& devices);

}  // namespace aiflame::forecast
