// SPDX-License-Identifier: MIT
// Reads the section .nv.info of a cubin: what its functions need (pure).
#pragma once

#include <cstdint>
#include <string_view>

#include "libcommon/folded/launch_fact.h"

namespace aiflame {

// Registers and stack of the function with this number in the symbol table. The section is a
// sequence of attributes as in nv_info.h; these have a symbol and a value:
//
//   04 2f 0800 16000000 0e000000    EIATTR_REGCOUNT: registers of a thread
//   04 11 0800 16000000 00000000    EIATTR_FRAME_SIZE: bytes of the function's own stack frame
//   04 12 0800 16000000 00000000    EIATTR_MIN_STACK_SIZE: the same with those that it calls
//
// `cuobjdump -res-usage` and `nvdisasm` print them by these names.
KernelFacts cubin_facts(std::string_view nv_info, uint32_t symbol);

}  // namespace aiflame
