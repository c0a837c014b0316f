// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/unitrace.h"

namespace aiflame::trace {

bool is_driver_call(std::string_view name) {
  for (const std::string_view prefix : {"ze", "cl", "ur"})
    if (name.starts_with(prefix) && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z')
      return true;
  return false;
}

std::string_view unitrace_device_name(std::string_view name) {
  const size_t bracket = name.rfind('[');
  if (bracket == std::string_view::npos || bracket == 0 || !name.ends_with(']')) return name;
  const std::string_view inside = name.substr(bracket + 1);
  return inside.starts_with("SIMD") || inside.ends_with(" bytes]") ? name.substr(0, bracket) : name;
}

}  // namespace aiflame::trace
