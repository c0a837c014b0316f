// SPDX-License-Identifier: MIT
#pragma once

#include "libcommon/folded/quantity.h"
#include "tools/aiflame-forecast/forecast.h"
#include "tools/aiflame-forecast/forecast_settings.h"

namespace aiflame::forecast {

struct InputFacts {
  Quantity quantity;      // of all files
  unsigned decimals = 0;  // of the finest count
  double hidden = 0;      // nanoseconds of all-reduces beside the backward pass
};

// Reads all inputs, folded text or operator graphs, into the forecast. Throws Error for a line that
// is neither, and for counts that are not time.
InputFacts read_inputs(const ForecastSettings& settings, Forecast& forecast);

}  // namespace aiflame::forecast
