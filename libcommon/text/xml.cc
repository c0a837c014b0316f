// SPDX-License-Identifier: MIT
#include "libcommon/text/xml.h"

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/base/utf8.h"

namespace aiflame {

void append_xml(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const char c = text.front();
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':  // for "]]>"
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (c >= 0x20 && c < 0x7f) {
          out += c;
          break;
        }
        const char* start = text.data();
        take_code_point(text);
        append_printable(out, std::string_view(start, text.data()));
        continue;
    }
    text.remove_prefix(1);
  }
}

std::string xml(std::string_view text) {
  std::string out;
  append_xml(out, text);
  return out;
}

std::string xml_comment(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '-' && out.ends_with('-')) out += ' ';
    out += c;
  }
  if (out.ends_with('-')) out += ' ';
  return out;
}

std::string css_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const uint32_t code = take_code_point(text);
    const bool plain = (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
                       (code >= 'A' && code <= 'Z') || code == ' ' || code == '-' || code == '_';
    if (plain)
      out += static_cast<char>(code);
    else
      out += format("\\%x ", code);  // the blank ends the number
  }
  return out + "\"";
}

}  // namespace aiflame
