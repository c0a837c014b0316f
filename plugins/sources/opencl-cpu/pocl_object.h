// SPDX-License-Identifier: MIT
// The shared objects that PoCL compiles a kernel into, one for each kernel and work-group size:
//   $POCL_CACHE_DIR/XX/HASH/multiply_basic/16-16-1-goffs0-smallgrid/multiply_basic.so
// with the symbols
//   _pocl_kernel_multiply_basic                 one work item, or one group (-cl-opt-disable)
//   _pocl_kernel_multiply_basic_workgroup       what a worker thread calls, one group
//   _pocl_kernel_multiply_basic_workgroup_fast  the same with another argument layout
// and helper functions beside them, where the compiler did not inline (seen with PoCL 3.1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aiflame::source::opencl_cpu {

struct PoclFunction {
  uint64_t offset = 0;  // in the file
  uint64_t bytes = 0;
  std::string name;  // without PoCL's prefix and suffixes; the kernel's name for its own code
  std::string kernel;
};

// Whether `path` may be such an object, by its name, which saves reading every library of a
// process.
bool may_be_pocl_object(const std::string& path);

// The functions of the object in the file `path`, sorted; empty when it holds no PoCL kernel. A
// kernel's own functions are one range under its name. Throws Error when the file cannot be read.
std::vector<PoclFunction> read_pocl_object(const std::string& path);

}  // namespace aiflame::source::opencl_cpu
