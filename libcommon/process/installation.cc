// SPDX-License-Identifier: MIT
#include "libcommon/process/installation.h"

#include <unistd.h>

#include <climits>

#include "libcommon/base/program.h"

namespace aiflame {

std::string installed(const std::string& below) {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) throw Error("cannot read /proc/self/exe");
  const std::string program(path, static_cast<size_t>(length));
  const std::string bin = program.substr(0, program.rfind('/'));
  return bin.substr(0, bin.rfind('/') + 1) + below;
}

}  // namespace aiflame
