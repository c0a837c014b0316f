// SPDX-License-Identifier: MIT
// The time of devices: kernels and copies of a GPU's streams, operators of a TPU, each on what
// launched it and what the compiler knows of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/text/numbered_table.h"
#include "libcommon/timeline/host_activity.h"
#include "tools/stackcollapse-xplane/host_threads.h"
#include "tools/stackcollapse-xplane/operator_stacks.h"
#include "tools/stackcollapse-xplane/root_frames.h"
#include "tools/stackcollapse-xplane/time_base.h"

namespace aiflame::xplane {

// Whether it is a device's, and no other program's.
bool is_device_plane(std::string_view name);

class DeviceTime {
 public:
  DeviceTime(const TimeBase& times, HostThreads& host, OperatorStacks& operators,
             const RootFrames& roots, const Settings& settings, ImportedStacks& stacks)
      : times_(times),
        host_(host),
        operators_(operators),
        roots_(roots),
        settings_(settings),
        stacks_(stacks) {}

  void fold(const Plane& plane);
  uint64_t events() const { return events_; }

 private:
  // Numbers that make a stack.
  struct Parts {
    uint32_t root, host, known, frame;
    bool operator==(const Parts&) const = default;
  };
  void fold_stream(const Plane& plane, const Line& line, const HostActivity& steps);
  void fold_operators(const Plane& plane, const Line& line, const HostActivity& steps);
  void lose_line(const Plane& plane, const Line& line);
  uint32_t stack_of(const Parts& parts);
  uint32_t root_of(const Plane& plane, const Line& line, int64_t begin, uint32_t step);
  // The frame of an event's name, which is made once.
  template <typename MakeText>
  uint32_t frame_of(const EventName& name, const MakeText& make_text);
  // Returns the time in nanoseconds.
  uint64_t add(uint32_t stack, uint64_t picoseconds, bool has_source);

  const TimeBase& times_;
  HostThreads& host_;
  OperatorStacks& operators_;
  const RootFrames& roots_;
  const Settings& settings_;
  ImportedStacks& stacks_;
  NumberedTable<Parts> parts_;
  std::vector<uint32_t> of_parts_;  // stacks
  std::vector<uint32_t> frames_;    // of the plane, by the number of the name
  Nanoseconds whole_;
  uint64_t events_ = 0;
};

}  // namespace aiflame::xplane
