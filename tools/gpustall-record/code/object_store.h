// SPDX-License-Identifier: MIT
// Keeps copies of code objects under the hash of their content: an object is stored once however
// often it is loaded, and the copy outlives the program's own cache.
#pragma once

#include <cstdint>
#include <string>

#include "tools/gpustall-record/budget/budgets.h"
#include "tools/gpustall-record/code/object_content.h"
#include "tools/gpustall-record/code/stable_source.h"

namespace aiflame::record {

class ObjectStore {
 public:
  // `directory` "" = $XDG_CACHE_HOME/aiflame/objects or ~/.cache/aiflame/objects. New copies count
  // in `budgets`, as Kept::copies.
  ObjectStore(const std::string& directory, Budgets& budgets);
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  // Copies the file at `path` as process `pid` sees it, but for the random name of PoCL's source,
  // see stable_source.h. Returns the copy's path, or `path` itself when no copy can be made; the
  // first failure is a warning.
  std::string save_file(uint32_t pid, const std::string& path);
  // Copies `content`, an object of process `pid`, to a file whose name ends in `extension`. Returns
  // its path, or "" when no copy can be made; the first failure is a warning.
  std::string save_content(uint32_t pid, const ObjectContent& content,
                           const std::string& extension);

 private:
  using Reader = ObjectReader;
  static std::string hash_of(const Reader& content);
  void open_directory();
  bool has_whole(const std::string& name, const std::string& hash) const;
  void write(const std::string& name, const std::string& hash, const Reader& content) const;
  std::string store(uint32_t pid, uint64_t bytes, const Reader& content,
                    const std::string& extension);
  void warn_once(const char* why);

  std::string directory_;
  int fd_ = -1;  // of the directory, once it is open
  Budgets& budgets_;
  bool warned_ = false;
};

}  // namespace aiflame::record
