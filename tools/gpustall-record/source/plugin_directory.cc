// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/source/plugin_directory.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libcommon/base/program.h"
#include "libcommon/process/installation.h"

namespace aiflame::record {

std::vector<std::string> source_names(const std::string& directory) {
  std::vector<std::string> names;
  DIR* opened = opendir(directory.c_str());
  if (opened == nullptr)
    throw Error(format("cannot open '%s': %s", directory.c_str(), std::strerror(errno)));
  while (const dirent* entry = readdir(opened)) {
    const std::string name = entry->d_name;
    if (name.ends_with(".so") && !name.ends_with("-agent.so"))
      names.push_back(name.substr(0, name.size() - 3));
  }
  closedir(opened);
  std::sort(names.begin(), names.end());
  return names;
}

std::string default_plugin_directory() {
  return installed("libexec/aiflame");
}

}  // namespace aiflame::record
