// SPDX-License-Identifier: MIT
// One code object on a device, with the functions in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/gpustall-record/budget/budget_share.h"

namespace aiflame::record {

// Valid for as long as the object is loaded at `address`.
struct CodeObject {
  struct Function {
    uint64_t address = 0, bytes = 0;
    std::string name;
    uint32_t kernel = 0;  // its number in the kernels' NameTable
    bool own = false;     // the kernel's own code, not a function that it calls
  };
  uint64_t address = 0, bytes = 0;
  uint64_t file_offset = 0;  // of the byte at `address`
  std::string path;
  std::vector<Function> functions;  // sorted by address; an outer one before those inside it
  BudgetShare share;                // what it takes of its process's budget

  // The innermost function at an address; null when there is none.
  const Function* function_at(uint64_t at) const;
  // Where the kernel's own code begins; 0 when the kernel is not in this object.
  uint64_t kernel_address(uint32_t kernel) const;
};

}  // namespace aiflame::record
