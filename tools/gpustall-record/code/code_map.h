// SPDX-License-Identifier: MIT
// Finds the code object at an address of one device, at one moment. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tools/gpustall-record/code/code_object.h"

namespace aiflame::record {

// Processes have address spaces of their own, so everything is kept by process; process 0 has the
// objects of the device itself.
class CodeMap {
 public:
  // Replaces an object that begins at the same address.
  void load(uint32_t pid, std::shared_ptr<const CodeObject> object);
  void unload(uint32_t pid, uint64_t address);

  // Null when no object of the process holds the address.
  std::shared_ptr<const CodeObject> find(uint32_t pid, uint64_t address) const;

  // The object that holds an instruction, and the object's process. Only the low `bits` of the
  // address are known (64 = all).
  struct Found {
    uint32_t pid = 0;
    std::shared_ptr<const CodeObject> object;  // null: none, or `several`
    bool several = false;                      // objects of different processes fit
  };
  Found find_in_any_process(uint64_t address, unsigned bits) const;

  // The addresses of a kernel of a process, one for each object that has it, with the objects'
  // paths.
  const std::map<uint64_t, std::string>& kernel_addresses(uint32_t pid, uint32_t kernel) const;

 private:
  // An index: each slice needs it for each launch, and a scan over all objects would be too slow.
  std::map<std::pair<uint32_t, uint32_t>, std::map<uint64_t, std::string>> by_kernel_;
  std::map<std::pair<uint32_t, uint64_t>, std::shared_ptr<const CodeObject>> loaded_;
  // By the low 32 bits of the address and by process.
  std::map<std::pair<uint32_t, uint32_t>, std::shared_ptr<const CodeObject>> by_low_;
  uint64_t longest_ = 0;  // the most bytes that any object ever had
};

}  // namespace aiflame::record
