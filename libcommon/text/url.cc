// SPDX-License-Identifier: MIT
#include "libcommon/text/url.h"

#include "libcommon/base/program.h"

namespace aiflame {

namespace {

// All but letters, digits and `signs` as %XX.
std::string percent_encoded(std::string_view text, std::string_view signs) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos || signs.find(c) != std::string_view::npos)
      out += c;
    else
      out += format("%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

}  // namespace

std::string url_text(std::string_view text) {
  return percent_encoded(text, "-._:~/");
}

std::string url_value(std::string_view text) {
  return percent_encoded(text, "-._~");
}

std::string url_of_path(std::string_view path) {
  return (path.starts_with('/') ? "" : "./") + url_text(path);
}

}  // namespace aiflame
