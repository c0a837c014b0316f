// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/aiflame-forecast/device.h"

namespace aiflame::forecast {

// ../share/aiflame/devices from the directory of the running program. Throws Error.
std::string default_device_directory();

// All devices of a directory, sorted by file. Throws Error.
std::vector<Device> read_devices(const std::string& directory);

// Whether `text` is the path of a user's own file: it has a slash, or ends in ".device".
bool is_device_path(std::string_view text);

// The device whose file is called so. Throws UsageError, which names similar ones.
const Device& find_device(const std::vector<Device>& devices, std::string_view name);

}  // namespace aiflame::forecast
