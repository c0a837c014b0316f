// SPDX-License-Identifier: MIT
// Where a device's code object has the code of each kernel: compilers for GPUs write a section
// `.text.KERNEL` for each, and one for each function that several kernels call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/symbols/elf.h"

namespace aiflame {

struct KernelCode {
  std::string name;
  uint64_t offset = 0, size = 0;  // in the file
};

class KernelTable {
 public:
  KernelTable() = default;
  explicit KernelTable(const ElfFile& file);

  const std::vector<KernelCode>& all() const { return all_; }  // by offset
  // That which holds an offset in the file, or nullptr.
  const KernelCode* at(uint64_t file_offset) const;

 private:
  std::vector<KernelCode> all_;
};

}  // namespace aiflame
