// SPDX-License-Identifier: MIT
#include "libcommon/process/find_program.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace aiflame {

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable == nullptr ? "/bin:/usr/bin" : variable;
  for (;;) {
    const size_t end = rest.find(':');
    const std::string_view directory = rest.substr(0, end);
    std::string path = (directory.empty() ? "." : std::string(directory)) + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
}

}  // namespace aiflame
