// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/step_name.h"

namespace aiflame::trace {

bool is_step_frame(std::string_view frame) {
  for (const std::string_view prefix :
       {"ProfilerStep#", "step[", "prefill[", "decode[", "execute_context_", "execute_new_"})
    if (frame.starts_with(prefix)) return true;
  return frame.starts_with("execute_") && frame.find("_context_") != std::string_view::npos;
}

}  // namespace aiflame::trace
