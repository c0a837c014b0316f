// SPDX-License-Identifier: MIT
// Device frames from what rocprofv3 writes (pure).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/imported_names.h"

namespace aiflame::rocprof {

// The source lines of an instruction, the outermost first, from its comment:
//
//   /src/a.cpp:44                          a.cpp:44_[G]
//   /hip/vector.h:10 -> /src/a.cpp:44      a.cpp:44_[G], vector.h:10_[G]: a call that was inlined
std::vector<std::string> line_frames(std::string_view comment, const NameRules& names);

// Why the wave issued nothing: waitcnt_[g]. Of one that issued, what it issued, by the names that
// HPCToolkit has for it: isu_vec_[g] for ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_VALU.
std::string stall_frame(std::string_view reason);
std::string issue_frame(std::string_view type);

// "Memcpy HtoD" for MEMORY_COPY_HOST_TO_DEVICE.
std::string copy_name(std::string_view direction);

}  // namespace aiflame::rocprof
