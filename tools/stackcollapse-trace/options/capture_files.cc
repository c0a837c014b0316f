// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/options/capture_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "libcommon/base/program.h"

namespace aiflame::trace {
namespace {

bool is_trace(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  for (const std::string_view ending : {".json", ".json.gz", ".json.zst"})
    if (name.ends_with(ending)) return true;
  return false;
}

}  // namespace

std::vector<std::string> capture_files(const std::vector<std::string>& given) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  for (const std::string& one : given) {
    std::error_code error;
    if (!fs::is_directory(one, error)) {
      out.push_back(one);
      continue;
    }
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(one, error))
      if (is_trace(entry.path())) found.push_back(entry.path().string());
    if (found.empty()) throw Error(one + ": no trace is in this directory");
    std::sort(found.begin(), found.end());
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace aiflame::trace
