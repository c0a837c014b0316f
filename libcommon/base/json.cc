// SPDX-License-Identifier: MIT
#include "libcommon/base/json.h"

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
    // control characters, including C1, which could move a terminal's cursor
    if (first < 0x20 || (code >= 0x7f && code < 0xa0)) {
      out += format("\\u%04x", code);
      continue;
    }
    if (first >= 0x80 && character.size() == 1) {
      out += format("\\u%04x", first);
      continue;
    }
    if (first == '"' || first == '\\') out += '\\';
    out.append(character);
  }
  return out + "\"";
}

}  // namespace aiflame
