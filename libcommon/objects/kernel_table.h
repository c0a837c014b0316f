// SPDX-License-Identifier: MIT
// Finds the code of each kernel in a code object of a GPU. Compilers for GPUs write one section
// `.text.KERNEL` for each kernel, and one for each function that several kernels call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/symbols/elf.h"

namespace aiflame {

struct KernelCode {
  std::string name;
  uint64_t offset = 0, size = 0;  // in the file, in bytes
};

class KernelTable {
 public:
  KernelTable() = default;
  explicit KernelTable(const ElfFile& file);

  const std::vector<KernelCode>& all() const { return all_; }  // by offset
  // The kernel that holds an offset in the file, or nullptr.
  const KernelCode* at(uint64_t file_offset) const;

 private:
  std::vector<KernelCode> all_;
};

}  // namespace aiflame
