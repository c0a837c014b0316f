// SPDX-License-Identifier: MIT
// Display names of kernels and device functions (pure).
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// The demangled name of a symbol: as short_name() makes it, or `full`, with its result type, all
// template arguments and parameters. What compilers add to the name in the source is removed, since
// it would make two builds of one program differ:
//
//   static, nvcc -rdc       _ZN34_INTERNAL_b6d9eb62_4_a_cu_354b916b5localEfi  local(float, int)
//   called by kernel plain  $plain$_Z5localfi                                 local(float, int)
//   a SYCL kernel           _ZTSZ4mainEUlvE_                                  main::{lambda()#1}
std::string device_function_name(std::string_view symbol, bool full);

}  // namespace aiflame
