// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace aiflame {

// False where nobody can tell: of a name that is too long, or below a folder that is closed.
inline bool is_directory(const std::string& path) {
  struct stat its {};
  return stat(path.c_str(), &its) == 0 && S_ISDIR(its.st_mode);
}

// `given` with the files that files_of() names in the place of each directory, sorted.
inline std::vector<std::string> with_files_of_directories(
    const std::vector<std::string>& given,
    const std::function<std::vector<std::string>(const std::string& directory)>& files_of) {
  std::vector<std::string> out;
  for (const std::string& one : given) {
    if (!is_directory(one)) {
      out.push_back(one);
      continue;
    }
    std::vector<std::string> files = files_of(one);
    std::sort(files.begin(), files.end());
    out.insert(out.end(), files.begin(), files.end());
  }
  return out;
}

}  // namespace aiflame
