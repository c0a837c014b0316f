// SPDX-License-Identifier: MIT
// RegisterUse as text, for tests: `r2-3 p0 > r4`, what is read before what is written; `?` in front
// where more may be, and `c` where what it writes may stay as it was.
#pragma once

#include <string>

#include "libcommon/code/code_flow.h"

namespace aiflame {

inline std::string text_of(const std::vector<RegisterRange>& ranges) {
  std::string out;
  for (const RegisterRange& each : ranges) {
    constexpr char kKinds[] = "rupfac";  // general, uniform, predicate, flags, accumulator, address
    out += kKinds[static_cast<size_t>(each.kind)] + std::to_string(each.first);
    if (each.count > 1) out += "-" + std::to_string(each.first + each.count - 1);
    out += ' ';
  }
  return out;
}

inline std::string text_of(const RegisterUse& use) {
  std::string out = use.known ? "" : "? ";
  if (use.conditional) out += "c ";
  out += text_of(use.reads) + "> " + text_of(use.writes);
  out.pop_back();
  return out;
}

}  // namespace aiflame
