// SPDX-License-Identifier: MIT
// What a forecast is off by, typically.
#pragma once

#include <array>
#include <optional>

#include "tools/aiflame-forecast/forecast.h"

namespace aiflame::forecast {

// Mean absolute errors in percent.
struct ExpectedError {
  double inference, training;                       // of a model's whole latency
  std::array<double, kMeasuredFamilies> of_family;  // of single operators
};

// Every method but Method::table knows nothing of the target but its peak rates, so that each
// device is one that was left out; so does the table, where the target has no efficiencies of its
// own. Nothing for a method or a mode whose error was not measured.
std::optional<ExpectedError> expected_error(Mode mode, Method method, bool target_is_measured);

}  // namespace aiflame::forecast
