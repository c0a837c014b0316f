// SPDX-License-Identifier: MIT
#include "libcommon/io/object_directory.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace aiflame {

std::string default_object_directory() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/aiflame/objects";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') {
    // not a fixed name in /tmp: anybody could put a link there
    const passwd* user = getpwuid(geteuid());
    home = user == nullptr ? nullptr : user->pw_dir;
  }
  return home == nullptr ? "" : std::string(home) + "/.cache/aiflame/objects";
}

}  // namespace aiflame
