// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/key_lines.h"

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::forecast {
namespace {

// Such a file has a screen of lines; what is longer is none.
constexpr uint64_t kMostLines = 1000;
constexpr size_t kLongestLine = 1000;

}  // namespace

bool KeyLines::next(std::string_view& key) {
  std::string_view line;
  while (lines_.next(line)) {
    if (lines_.line_number() > kMostLines || line.size() > kLongestLine)
      fail(std::string("too long: not ") + what_);
    rest_ = trim_right(line);
    key = take_field(rest_);
    rest_ = trim_left(rest_);
    if (!key.empty() && !key.starts_with('#')) return true;
  }
  return false;
}

std::string_view KeyLines::value() {
  return take_field(rest_);
}

void KeyLines::end() const {
  if (!trim_left(rest_).empty()) fail("text after the value: '" + std::string(rest_) + "'");
}

void KeyLines::fail(const std::string& what) const {
  throw Error(lines_.place() + ": " + what);
}

}  // namespace aiflame::forecast
