// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/layers.h"

namespace aiflame::report {

const char* kind_name(Kind kind) {
  constexpr const char* kNames[kKinds] = {
      "reason", "kernel",  "operator", "module", "function", "line", "instruction",
      "frame",  "finding", "launch",   "rank",   "device",   "idle", "memory"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace aiflame::report
