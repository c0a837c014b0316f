// SPDX-License-Identifier: MIT
// Opens a code object of any device, by the machine in its ELF header.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "libcommon/objects/object_file.h"

namespace aiflame {

// Outlives the objects that it opens.
class ObjectOpener {
 public:
  // Throws Error("PATH: …") when the file cannot be read or is not ELF.
  std::unique_ptr<ObjectFile> open(const std::string& path);

 private:
  std::map<int, std::unique_ptr<ObjectFormat>> formats_;  // by machine, each made at its first use
  std::set<std::string> cut_;                             // paths, of which a warning was written
};

}  // namespace aiflame
