// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "libcommon/folded/time_step.h"
#include "libcommon/import/importer.h"
#include "libcommon/timeline/memory_moment.h"

namespace aiflame::torch_memory {

// What is counted.
enum class Content : uint8_t {
  live,       // the blocks that are allocated at a moment
  allocated,  // all allocations of the recording
  segments,   // what the allocator has reserved, at the end
};

struct Settings {
  MemoryMoment at;
  Content content = Content::live;
  bool count = false;                                                  // blocks instead of bytes
  std::optional<uint64_t> device;                                      // this one alone
  bool rank = false, devices = false, pools = false, streams = false;  // root frames
  bool phases = false;     // what external annotations name
  bool lifetimes = false;  // a root frame for what becomes of a block
  bool native = false;     // C++ frames beside Python's
  TimeStep by_time;
  ImportSettings import;
};

}  // namespace aiflame::torch_memory
