// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/text/xml.h"

#include "libcommon/base/program.h"
#include "libcommon/base/utf8.h"

namespace aiflame::svg {
namespace {

constexpr std::string_view kReplacementText = "\xef\xbf\xbd";

// C0 and C1 controls, and the two code points that XML 1.0 forbids.
bool is_unfit(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == kReplacement || code == 0xfffe ||
         code == 0xffff;
}

}  // namespace

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
        const uint32_t code = take_code_point(text);
        if (is_unfit(code))
          out += kReplacementText;
        else
          out.append(start, text.data());
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
  while (!text.empty()) {
    const char* start = text.data();
    const uint32_t code = take_code_point(text);
    if (code == '-' && out.ends_with('-')) out += ' ';
    if (is_unfit(code))
      out += kReplacementText;
    else
      out.append(start, text.data());
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

}  // namespace aiflame::svg
