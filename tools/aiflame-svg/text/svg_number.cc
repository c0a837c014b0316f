// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/text/svg_number.h"

#include <charconv>

namespace aiflame::svg {

std::string number(double value, int digits) {
  std::string text;
  append_fixed(text, value, digits);
  if (text.find('.') != std::string::npos) {
    text.resize(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

void append_fixed(std::string& out, double value, int digits) {
  char buffer[400];  // the greatest double has 309 digits
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits);
  out.append(buffer, result.ptr);
}

}  // namespace aiflame::svg
