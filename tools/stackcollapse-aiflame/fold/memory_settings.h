// SPDX-License-Identifier: MIT
#pragma once

#include "libcommon/timeline/memory_moment.h"

namespace aiflame::collapse {

struct MemorySettings {
  MemoryMoment at;         // --at
  bool allocated = false;  // --allocated: all allocations, whenever they were freed
  bool count = false;      // --count: blocks, not bytes
};

}  // namespace aiflame::collapse
