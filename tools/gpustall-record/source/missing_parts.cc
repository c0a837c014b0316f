// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/source/missing_parts.h"

#include <unistd.h>

#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

// As the plugin.mk of each says it to make.
struct Part {
  const char* name;
  bool has_source, has_agent;
  const char* cure;
};
constexpr Part kParts[] = {
    {"cupti", true, true,
     "CUPTI's headers were missing; install cuda-cupti-dev of the CUDA toolkit, or "
     "nvidia-cuda-cupti by pip, and build again"},
    {"level-zero", true, true,
     "Level Zero's headers were missing; as root: apt install libze-dev; and build again"},
    {"opencl", false, true, "build and install it again"},
    {"opencl-cpu", true, false, "build and install it again"},
    {"xe", true, false, "build and install it again"},
};

struct Package {
  std::string_view library;  // begins so
  const char* name;          // Debian's
};
constexpr Package kPackages[] = {
    {"libelf.so.", "libelf1"},
    {"libstdc++.so.", "libstdc++6"},
    {"libz.so.", "zlib1g"},
};

bool exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

}  // namespace

std::vector<std::string> left_out_parts(const std::string& directory) {
  std::vector<std::string> out;
  for (const Part& part : kParts) {
    const std::string path = directory + "/" + part.name;
    const bool lacks_source = part.has_source && !exists(path + ".so");
    const bool lacks_agent = part.has_agent && !exists(path + "-agent.so");
    if (!lacks_source && !lacks_agent) continue;
    const char* what = lacks_source && lacks_agent ? "source and agent are"
                       : lacks_source              ? "the source is"
                                                   : "the agent is";
    out.push_back(format("%-12s %s left out of this build: %s", part.name, what, part.cure));
  }
  return out;
}

std::string describe_missing_library(std::string_view message) {
  constexpr std::string_view kMissing = ": cannot open shared object file: No such file";
  const size_t at = message.find(kMissing);
  if (at == std::string_view::npos) return "";
  const std::string_view library = message.substr(0, at);
  for (const Package& package : kPackages)
    if (library.starts_with(package.library))
      return format("%s is missing; as root: apt install %s", std::string(library).c_str(),
                    package.name);
  return format("%s is missing", std::string(library).c_str());
}

}  // namespace aiflame::record
