// SPDX-License-Identifier: MIT
// Reads the note NT_AMDGPU_METADATA of an AMD code object: what a kernel needs (pure). The note is
// MessagePack; LLVM's AMDGPUUsage, "Code Object Metadata", has the keys:
//
//   {"amdhsa.kernels": [{".name": "xcompute", ".vgpr_count": 40, ".vgpr_spill_count": 0,
//    ".group_segment_fixed_size": 0, ".private_segment_fixed_size": 0, …}, …], …}
#pragma once

#include <string_view>

#include "libcommon/folded/launch_fact.h"

namespace aiflame {

// The metadata in the bytes of a section of notes; empty where there are none.
std::string_view amd_metadata(std::string_view notes);

// Of the kernel of that name; nothing where there is none.
KernelFacts hsaco_facts(std::string_view metadata, std::string_view kernel);

}  // namespace aiflame
