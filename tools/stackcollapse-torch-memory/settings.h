// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "libcommon/folded/time_step.h"
#include "libcommon/import/importer.h"

namespace aiflame::torch_memory {

// --at: when the memory is looked at.
struct Moment {
  enum class Kind : uint8_t { peak, end, oom, event, time };
  Kind kind = Kind::peak;
  uint64_t event = 0;  // the number of the last entry that has taken effect
  uint64_t time = 0;   // nanoseconds after the first entry
};

// What is counted.
enum class Content : uint8_t {
  live,       // the blocks that are allocated at a moment
  allocated,  // all allocations of the recording
  segments,   // what the allocator has reserved, at the end
};

struct Settings {
  Moment at;
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
