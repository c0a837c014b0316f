// SPDX-License-Identifier: MIT
#include "libcommon/base/json.h"

#include <cmath>

#include "libcommon/base/program.h"
#include "libcommon/base/utf8.h"

namespace aiflame {

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    std::string_view rest = text;
    const uint32_t code = take_code_point(rest);
    const std::string_view character = text.substr(0, text.size() - rest.size());
    text = rest;
    const auto first = static_cast<unsigned char>(character.front());
    // a reader of the JSON gets the text as it was; a terminal does not. What is not UTF-8 is taken
    // for Latin-1.
    const bool invalid = first >= 0x80 && character.size() == 1;
    if (invalid || !is_printable(code)) {
      out += format("\\u%04x", invalid ? first : code);
      continue;
    }
    if (first == '"' || first == '\\') out += '\\';
    out.append(character);
  }
  return out + "\"";
}

std::string json_number(double value) {
  return std::isfinite(value) ? format("%.12g", value == 0 ? 0 : value) : "null";
}

}  // namespace aiflame
