// SPDX-License-Identifier: MIT
// The code objects on the devices: copies that stay, and names for device addresses.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "plugins/abi/gpustall_plugin.h"

namespace aiflame::record {

// Copies files under the hash of their content, so that an object is kept once however often it is
// loaded, and outlives the program's own cache.
class ObjectStore {
 public:
  // `directory` "" = $XDG_CACHE_HOME/aiflame/objects or ~/.cache/aiflame/objects.
  explicit ObjectStore(const std::string& directory);
  // The copy's path; where none can be made, `path` itself and one warning.
  std::string save(uint32_t pid, const std::string& path);
  // The path of a copy of `content`, its name ending in `extension`; "" and one warning where none
  // can be made.
  std::string keep(const std::string& content, const std::string& extension);

 private:
  std::string store(const std::string& content, const std::string& extension) const;
  void warn_once(const char* why);
  std::string directory_;
  bool warned_ = false;
};

// One object on the device, for as long as it is loaded.
struct CodeObject {
  struct Function {
    uint64_t address = 0, bytes = 0;
    std::string name;
    uint32_t kernel = 0;  // by number
    bool own = false;     // the kernel's own code
  };
  uint64_t address = 0, bytes = 0;
  uint64_t file_offset = 0;  // of what is at `address`
  std::string path;
  std::vector<Function> functions;  // sorted

  const Function* function_at(uint64_t at) const;
  // Where the kernel's own code begins; 0 when it is not in this object.
  uint64_t kernel_address(uint32_t kernel) const;
};

// Numbers for names of kernels and reasons; 0 is "none".
class Names {
 public:
  uint32_t number(const std::string& name);
  const std::string& name(uint32_t number) const { return names_[number]; }

 private:
  std::vector<std::string> names_{""};
  std::map<std::string, uint32_t> numbers_;
};

// What is loaded now, by process (0 = objects of the device itself).
class Objects {
 public:
  void load(uint32_t pid, std::shared_ptr<const CodeObject> object);
  void unload(uint32_t pid, uint64_t address);
  std::shared_ptr<const CodeObject> at(uint32_t pid, uint64_t address) const;
  // The object that has an instruction of which the low `bits` of the address are known (64 = all),
  // and its process.
  struct Found {
    uint32_t pid = 0;
    std::shared_ptr<const CodeObject> object;  // null: none, or see `several`
    bool several = false;                      // objects of different processes
  };
  Found anywhere(uint64_t address, unsigned bits) const;
  // The addresses of a kernel of a process, one for each object that has it, with the objects'
  // paths.
  const std::map<uint64_t, std::string>& addresses(uint32_t pid, uint32_t kernel) const;

 private:
  // Asked on each slice for each launch in it: not by a look at all objects.
  std::map<std::pair<uint32_t, uint32_t>, std::map<uint64_t, std::string>> by_kernel_;
  std::map<std::pair<uint32_t, uint64_t>, std::shared_ptr<const CodeObject>> loaded_;
  // By the low half of the address and process, and the longest there has been.
  std::map<std::pair<uint32_t, uint32_t>, std::shared_ptr<const CodeObject>> by_low_;
  uint64_t longest_ = 0;
};

}  // namespace aiflame::record
