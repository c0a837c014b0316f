// SPDX-License-Identifier: MIT
// Frames from the texts of an export (pure).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/import/imported_names.h"

namespace aiflame::nsys {

// A function of the CUDA API without its version: cudaLaunchKernel for cudaLaunchKernel_v7000,
// cuLaunchKernel for cuLaunchKernel_ptsz.
std::string_view api_name(std::string_view name);

// A frame of a call chain. `module` is the path of its object; of Python files, a Python function.
//
//   run(float*)   /a/app                    run
//   0x7f12ab      /usr/lib/libtorch.so      [libtorch.so]
//   do_syscall    [kernel.kallsyms]         do_syscall_[k]
//   step          /a/train.py               py::step:train.py
std::string call_frame(std::string_view symbol, std::string_view module, const NameRules& rules);

// "Memcpy HtoD", of copyKind, a number of ENUM_CUDA_MEMCPY_OPER.
std::string copy_name(int64_t kind);

}  // namespace aiflame::nsys
