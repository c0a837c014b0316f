// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tools/aiflame-forecast/device.h"

namespace aiflame::forecast {

// Which of a device's figures are beyond those of all devices that were measured, a line for each:
// what is said of it is an extrapolation (pure).
std::vector<std::string> beyond_measured(const Device& device, const std::vector<Device>& devices);

}  // namespace aiflame::forecast
