// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/options/capture_files.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "libcommon/base/program.h"
#include "libcommon/io/directory.h"

namespace aiflame::trace {
namespace {

bool is_trace(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  for (const std::string_view ending : {".json", ".json.gz", ".json.zst", ".pkl"})
    if (name.ends_with(ending)) return true;
  return false;
}

}  // namespace

std::vector<std::string> capture_files(const std::vector<std::string>& given) {
  return with_files_of_directories(given, [](const std::string& directory) {
    std::error_code error;
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
      if (is_trace(entry.path())) found.push_back(entry.path().string());
    if (found.empty()) throw Error(directory + ": no trace is in this directory");
    return found;
  });
}

}  // namespace aiflame::trace
