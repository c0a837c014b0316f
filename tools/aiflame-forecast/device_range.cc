// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/device_range.h"

#include <algorithm>

#include "libcommon/base/program.h"

namespace aiflame::forecast {

std::vector<std::string> beyond_measured(const Device& device, const std::vector<Device>& devices) {
  std::vector<std::string> out;
  const auto compare = [&](const char* what, const char* unit, auto&& figure) {
    double least = 0, most = 0;
    for (const Device& one : devices) {
      if (!one.is_measured()) continue;
      least = least == 0 ? figure(one) : std::min(least, figure(one));
      most = std::max(most, figure(one));
    }
    const double value = figure(device);
    if (most == 0 || value == 0 || (value >= least && value <= most)) return;
    out.push_back(
        format("all of it: %s of %s, %.4g %s, is outside the %.4g to %.4g %s of the "
               "devices that were measured",
               what, device.name.c_str(), value, unit, least, most, unit));
  };
  compare("the bandwidth", "GB/s", [](const Device& one) { return one.bandwidth / 1e9; });
  compare("the rate in fp32", "TFLOPS", [](const Device& one) {
    return one.has_type(DataType::fp32) ? one.rate(true, DataType::fp32) / 1e12 : 0.0;
  });
  return out;
}

}  // namespace aiflame::forecast
