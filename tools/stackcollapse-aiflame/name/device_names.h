// SPDX-License-Identifier: MIT
// Names of kernels and device functions for people (pure).
#pragma once

#include <string>
#include <string_view>

namespace aiflame::collapse {

// Demangled, and without what compilers add that is no part of the source's name. It would make
// two builds of one program differ:
//   _ZN34_INTERNAL_b6d9eb62_4_a_cu_354b916b5localEfi     local(float, int)     static, of nvcc -rdc
//   $plain$_Z5localfi                                    local(float, int)     in the kernel
//   `plain` _ZTSZ4mainEUlvE_                                     main::{lambda()#1}    a kernel of
//   SYCL
std::string device_function_name(std::string_view symbol, bool parameters);

}  // namespace aiflame::collapse
