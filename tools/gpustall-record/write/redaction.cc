// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/redaction.h"

namespace aiflame::record {
namespace {

constexpr const char* kNothingLeft = "[redacted]";

std::string_view behind_last_slash(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// py::FUNCTION:FILE:LINE, where FILE may be relative, and may have colons. A function has none.
std::string redacted_python(std::string_view symbol) {
  constexpr size_t kPrefix = 4;  // py::
  const size_t function = symbol.find(':', kPrefix), line = symbol.rfind(':');
  if (function == std::string_view::npos || line <= function) return std::string(symbol);
  std::string out(symbol.substr(0, function + 1));
  out += behind_last_slash(symbol.substr(function + 1, line - function - 1));
  return out += symbol.substr(line);
}

bool ends_path(char c) {
  return c == ' ' || c == ':' || c == ')' || c == ']' || c == ',' || c == '"' || c == '\'';
}

}  // namespace

std::string redacted_path(std::string_view path) {
  const std::string_view name = behind_last_slash(path);
  return name.empty() && !path.empty() ? kNothingLeft : std::string(name);
}

std::string redacted_symbol(std::string_view symbol) {
  if (symbol.starts_with("py::")) return redacted_python(symbol);
  std::string out;
  for (size_t at = 0; at < symbol.size();) {
    // a path begins where a word does: `LazyCompile:~f /srv/apollo/x.js:7`, `run(/home/a/b)`
    const bool begins = at == 0 || ends_path(symbol[at - 1]) || symbol[at - 1] == '(' ||
                        symbol[at - 1] == '[' || symbol[at - 1] == '=';
    size_t end = at + 1;
    if (symbol[at] == '/' && begins)
      while (end < symbol.size() && !ends_path(symbol[end])) ++end;
    const std::string_view piece = symbol.substr(at, end - at);
    out += piece.size() > 1 ? behind_last_slash(piece) : piece;
    at = end;
  }
  return out;
}

}  // namespace aiflame::record
