// SPDX-License-Identifier: MIT
// Shares of counts, exact to the hundredth of a percent (pure).
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/base/program.h"

namespace aiflame::annotate {

// In hundredths of a percent, rounded half up.
inline unsigned hundredths(uint64_t part, uint64_t whole) {
  if (whole == 0) return 0;
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned>((Wide{part} * 20000 + whole) / (Wide{whole} * 2));
}

// "63.21%"
inline std::string percent(uint64_t part, uint64_t whole) {
  const unsigned value = hundredths(part, whole);
  return format("%u.%02u%%", value / 100, value % 100);
}

// Whether a part is at least `percent` of the whole.
inline bool is_at_least(uint64_t part, uint64_t whole, double percent) {
  return static_cast<double>(part) * 100 >= percent * static_cast<double>(whole);
}

}  // namespace aiflame::annotate
