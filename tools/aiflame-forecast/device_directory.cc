// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/device_directory.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libcommon/base/program.h"
#include "libcommon/process/installation.h"

namespace aiflame::forecast {

std::string default_device_directory() {
  return installed("share/aiflame/devices");
}

std::vector<Device> read_devices(const std::string& directory) {
  std::vector<std::string> names;
  DIR* opened = opendir(directory.c_str());
  if (opened == nullptr)
    throw Error(format("cannot open '%s': %s", directory.c_str(), std::strerror(errno)));
  while (const dirent* entry = readdir(opened))
    if (std::string_view(entry->d_name).ends_with(kDeviceSuffix)) names.emplace_back(entry->d_name);
  closedir(opened);
  std::sort(names.begin(), names.end());
  std::vector<Device> devices;
  for (const std::string& name : names)
    devices.push_back(read_device(format("%s/%s", directory.c_str(), name.c_str())));
  return devices;
}

bool is_device_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(kDeviceSuffix);
}

const Device& find_device(const std::vector<Device>& devices, std::string_view name) {
  std::string names;
  for (const Device& device : devices) {
    if (device.file == name) return device;
    names.append(names.empty() ? "" : ", ").append(device.file);
  }
  throw UsageError("no device '" + std::string(name) + "'; there are " + names +
                   ", and the path of a file of your own");
}

}  // namespace aiflame::forecast
