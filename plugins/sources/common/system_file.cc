// SPDX-License-Identifier: MIT
#include "plugins/sources/common/system_file.h"

#include <string_view>

#include "libcommon/base/program.h"
#include "libcommon/io/input.h"

namespace aiflame::source {

std::string first_line_of(const std::string& path) {
  try {
    LineReader lines(path);
    std::string_view line;
    if (lines.next(line)) return std::string(line);
  } catch (const Error&) {
    // no such file
  }
  return "";
}

}  // namespace aiflame::source
