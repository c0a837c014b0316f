// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/plugin_directory.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "libcommon/base/program.h"

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
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) throw Error("cannot read /proc/self/exe");
  const std::string program(path, static_cast<size_t>(length));
  const std::string bin = program.substr(0, program.rfind('/'));
  return bin.substr(0, bin.rfind('/')) + "/libexec/aiflame";
}

}  // namespace aiflame::record
