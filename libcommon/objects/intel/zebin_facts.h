// SPDX-License-Identifier: MIT
// Reads the section .ze_info of a zebin: what a kernel needs (pure). It is YAML, as IGC writes it:
//
//   kernels:
//     - name:            multiply_basic
//       execution_env:
//         grf_count:       128
//         slm_size:        2048
//         private_size:    512
//         spill_size:      64
#pragma once

#include <string_view>

#include "libcommon/folded/launch_fact.h"

namespace aiflame {

// Of the kernel of that name; nothing where there is none.
KernelFacts zebin_facts(std::string_view ze_info, std::string_view kernel);

}  // namespace aiflame
