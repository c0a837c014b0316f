// SPDX-License-Identifier: MIT
// The work of each device of a trace on one scale (libcommon/timeline): what owns its time, what
// was hidden by other work, and the gaps.
#pragma once

#include <cstdint>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/timeline/device_timeline.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

struct DeviceWork {
  uint32_t device = 0;          // a process to the trace
  std::vector<uint32_t> works;  // of trace.work; the timeline's intervals
  DeviceTimeline timeline;

  // What ends a gap: a place in trace.work, or kNoNumber.
  uint32_t next_of(const DeviceGap& gap) const {
    return gap.next == DeviceGap::kNone ? kNoNumber : works[gap.next];
  }
};

class DevicesWork {
 public:
  // Throws Error for more devices than a machine has.
  DevicesWork(const Trace& trace, const ImportedStacks& stacks);

  // In the order in which the trace names them.
  const std::vector<DeviceWork>& devices() const { return devices_; }
  // By place in trace.work: the ns that a work owns, and what it does.
  uint64_t owned(size_t work) const { return owned_[work]; }
  WorkClass work_class(size_t work) const { return classes_[work]; }

 private:
  std::vector<DeviceWork> devices_;
  std::vector<uint64_t> owned_;
  std::vector<WorkClass> classes_;
};

}  // namespace aiflame::trace
