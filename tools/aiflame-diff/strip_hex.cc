// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/strip_hex.h"

namespace aiflame::diff {
namespace {

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

void strip_hex(std::string_view stack, std::string& out) {
  out.clear();
  for (size_t i = 0; i < stack.size();) {
    if (stack.substr(i, 2) == "0x" && i + 2 < stack.size() && is_hex_digit(stack[i + 2])) {
      out += "0x...";
      for (i += 2; i < stack.size() && is_hex_digit(stack[i]);) ++i;
    } else {
      out += stack[i++];
    }
  }
}

}  // namespace aiflame::diff
