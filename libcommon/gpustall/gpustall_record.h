// SPDX-License-Identifier: MIT
// One record of gpustall(5), as gpustall_reader.h reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libcommon/gpustall/idle_kind.h"
#include "libcommon/gpustall/launch_size.h"
#include "libcommon/perf_script/script_record.h"

namespace aiflame {

// The event of those stalls of the gpu-stall sample before, at the same instruction for the same
// reason, during which nothing else was issued. `# end` does not count them again.
inline constexpr std::string_view kExposedEvent = "gpu-stall-exposed";
// The events that define launches, calls that launch nothing, and calls that allocate memory.
inline constexpr std::string_view kLaunchEvent = "gpu-launch", kCallEvent = "gpu-call",
                                  kAllocationEvent = "gpu-alloc";
// The word for what was lost. Lost samples have none.
inline constexpr std::string_view kLostLaunches = "gpu-launch", kLostMemory = "gpu-memory";
// The object of a launch's first frame where that is a copy or a fill, and no kernel.
inline constexpr std::string_view kOperationObject = "[operation]";

// A sample, with the fields of PerfRecord, or a comment line that says something else. Views are
// valid until the reader's next next(). A field has a meaning only for the kinds that list it.
struct GpustallRecord : PerfRecord {
  enum class Kind {
    sample,     // comm … event, frames
    recording,  // # gpustall 1
    header,     // # key : value
    mapped,     // PERF_RECORD_MMAP2: comm … time, address, size, file_offset, path
    unmapped,   // PERF_RECORD_MUNMAP: comm … time, address, size, path
    launch,     // # launch N: launch, 0 for `?`
    launched,   // # launched N COUNT BUSY: launch, count, busy
    size,       // # size N …: launch, launch_size
    hidden,     // # hidden N SECONDS: launch, busy
    waited,     // # waited N COUNT SECONDS: launch, count, busy
    idle,       // # idle DEVICE KIND N COUNT SECONDS: device, idle, launch (0 for `?`), count, busy
    allocated,  // # allocated N TIME ADDRESS BYTES: launch, start, address, count
    freed,      // # freed PID DEVICE TIME ADDRESS BYTES: pid, device, start, address, count
    released,   // # released PID TIME: pid, start
    slice,      // # slice START END
    lost,       // PERF_RECORD_LOST: comm … time, count, of_launches, of_memory
    end,        // # end samples N launches N lost N
    comment,    // any other line that starts with '#'
  };

  Kind kind = Kind::comment;

  uint64_t address = 0, size = 0, file_offset = 0;  // bytes
  std::string_view path;

  uint64_t launch = 0;
  std::optional<uint64_t> count;  // nothing for `?`
  std::optional<uint64_t> busy;   // nanoseconds; nothing for `-`
  // What was lost: launches, or allocations and frees; neither: samples.
  bool of_launches = false, of_memory = false;
  LaunchSize launch_size;
  uint64_t device = 0;
  IdleKind idle = IdleKind::untraced;
  uint64_t start = 0, stop = 0;                       // nanoseconds
  std::optional<uint64_t> samples, launches, losses;  // of # end; nothing for `?`
  std::string_view key, value;
};

}  // namespace aiflame
