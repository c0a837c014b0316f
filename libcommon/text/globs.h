// SPDX-License-Identifier: MIT
#pragma once

#include <fnmatch.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// Whether one of the shell patterns matches the whole text. fnmatch(3) compares bytes here, since
// our programs stay in the C locale.
inline bool matches_any(const std::vector<std::string>& globs, std::string_view text) {
  const std::string ended(text);
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return fnmatch(glob.c_str(), ended.c_str(), 0) == 0;
  });
}

}  // namespace aiflame
