// SPDX-License-Identifier: MIT
#include "libcommon/text/url.h"

#include "libcommon/base/program.h"

namespace aiflame {

std::string url_text(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:~/";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos)
      out += c;
    else
      out += format("%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string url_of_path(std::string_view path) {
  return (path.starts_with('/') ? "" : "./") + url_text(path);
}

}  // namespace aiflame
