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

std::string_view data_type(std::string_view type) {
  if (type == "float") return "fp32";
  if (type == "double") return "fp64";
  if (type == "c10::Half") return "fp16";
  if (type == "c10::BFloat16") return "bf16";
  return type.starts_with("c10::Float8_") ? "fp8" : "";
}

}  // namespace aiflame::trace
