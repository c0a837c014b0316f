// SPDX-License-Identifier: MIT
// Demangles the lines of the input, the names of functions, and shortens them as those of devices.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "libcommon/device/function_name.h"
#include "libcommon/device/short_name.h"
#include "libcommon/symbols/demangle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view name = text.substr(at, end - at);
    aiflame::demangle(name, false);
    aiflame::demangle(name, true);
    if (aiflame::device_function_name(name, false).size() > aiflame::kLongestShortName)
      __builtin_trap();
    at = end + 1;
  }
  return 0;
}
