// SPDX-License-Identifier: MIT
// Keeps copies of code objects under the hash of their content: an object is stored once however
// often it is loaded, and the copy outlives the program's own cache.
#pragma once

#include <cstdint>
#include <string>

namespace aiflame::record {

class ObjectStore {
 public:
  // `directory` "" = $XDG_CACHE_HOME/aiflame/objects or ~/.cache/aiflame/objects.
  explicit ObjectStore(const std::string& directory);
  // Copies the file at `path` as process `pid` sees it. Returns the copy's path, or `path` itself
  // when no copy can be made; the first failure is a warning.
  std::string save_file(uint32_t pid, const std::string& path);
  // Copies `content` to a file whose name ends in `extension`. Returns its path, or "" when no copy
  // can be made; the first failure is a warning.
  std::string save_content(const std::string& content, const std::string& extension);

 private:
  std::string store(const std::string& content, const std::string& extension) const;
  void warn_once(const char* why);
  std::string directory_;
  bool warned_ = false;
};

}  // namespace aiflame::record
