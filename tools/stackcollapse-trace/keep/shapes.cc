// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/shapes.h"

namespace aiflame::trace {

std::string shapes_text(std::string_view lists) {
  std::string out;
  bool begins = true;  // a shape
  for (size_t at = 0; at < lists.size(); ++at) {
    const char c = lists[at];
    if (c == '[' || c == ']') {
      begins = true;
    } else if (c != ',') {
      const size_t end = lists.find_first_of(",[]", at);
      if (!out.empty()) out += begins ? ", " : "x";
      out += lists.substr(at, end - at);
      begins = false;
      if (end == std::string_view::npos) break;
      at = end - 1;
    }
  }
  return out;
}

}  // namespace aiflame::trace
