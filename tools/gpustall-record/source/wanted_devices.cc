// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/source/wanted_devices.h"

#include <string>

#include "libcommon/base/program.h"

namespace aiflame::record {

std::vector<Device> wanted_devices(const Source& source, std::vector<Device> devices,
                                   const CaptureOptions& options) {
  if (options.device >= 0) {
    std::erase_if(
        devices, [&](const Device& d) { return d.index != static_cast<uint32_t>(options.device); });
    if (devices.empty())
      throw Error(format("source '%s' has no device %d", source.name().c_str(), options.device));
  }
  std::string obstacle;
  std::erase_if(devices, [&](const Device& d) {
    if (d.obstacle.empty()) return false;
    obstacle = format("source '%s': device %u is not recorded: %s: %s", source.name().c_str(),
                      d.index, d.place.c_str(), d.obstacle.c_str());
    if (options.device < 0) warn("%s", obstacle.c_str());
    return true;
  });
  if (devices.empty()) throw Error(obstacle);
  return devices;
}

}  // namespace aiflame::record
