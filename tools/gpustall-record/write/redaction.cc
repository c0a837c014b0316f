// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/redaction.h"

namespace aiflame::record {
namespace {

constexpr const char* kNothingLeft = "[redacted]";

std::string_view behind_last_slash(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Bytes that a function's name has in front of a slash: `operator/`, Go's `github.com/a`, Erlang's
// `run/2`. A path that begins there is relative.
bool is_of_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '$' || c == '%' || byte >= 0x80;
}

// Where the first path begins; the end where there is none. It does at a slash that no name is in
// front of, and at `./` and `../`.
size_t find_path(std::string_view symbol) {
  for (size_t slash = symbol.find('/'); slash != std::string_view::npos;
       slash = symbol.find('/', slash + 1)) {
    size_t begin = slash;
    while (begin > 0 && symbol[begin - 1] == '.') --begin;
    if (begin > 0 && is_of_name(symbol[begin - 1])) continue;
    return begin;
  }
  return symbol.size();
}

// "/", "a / b" and "operator / (V)": a division has no directory.
bool is_division(std::string_view path) {
  return path.starts_with('/') && path.rfind('/') == 0 && (path.size() == 1 || path[1] == ' ');
}

}  // namespace

std::string redacted_path(std::string_view path) {
  const std::string_view name = behind_last_slash(path);
  return name.empty() && !path.empty() ? kNothingLeft : std::string(name);
}

// A directory may have every character in its name but a slash: blanks, colons, brackets, quotes.
// So nothing but a slash tells where a path goes on, and all up to the last one goes. Of two paths
// in a name, the first goes with what stands between them.
std::string redacted_symbol(std::string_view symbol) {
  size_t begin = 0;
  if (symbol.starts_with("py::")) {
    // py::FUNCTION:FILE:LINE, where FILE may be relative. A function has no colons.
    constexpr size_t kPrefix = 4;
    const size_t colon = symbol.find(':', kPrefix);
    begin = colon == std::string_view::npos ? find_path(symbol) : colon + 1;
  } else {
    begin = find_path(symbol);
    if (is_division(symbol.substr(begin))) return std::string(symbol);
  }
  std::string out(symbol.substr(0, begin));
  return out += behind_last_slash(symbol.substr(begin));
}

}  // namespace aiflame::record
