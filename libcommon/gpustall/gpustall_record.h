// SPDX-License-Identifier: MIT
// The comment lines of gpustall(5), which say everything but samples.
#pragma once

#include <string_view>

#include "libcommon/perf_script/script_record.h"

namespace aiflame {

// A line of a recording, without its `# `: its kind and what it says go into `record`. Returns what
// was expected of a line that is malformed, else null. `# gpustall N` is the reader's own.
const char* parse_gpustall_comment(std::string_view text, PerfRecord& record);

}  // namespace aiflame
