// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <string>

namespace aiflame {

// False where nobody can tell: of a name that is too long, or below a folder that is closed.
inline bool is_directory(const std::string& path) {
  struct stat its {};
  return stat(path.c_str(), &its) == 0 && S_ISDIR(its.st_mode);
}

}  // namespace aiflame
