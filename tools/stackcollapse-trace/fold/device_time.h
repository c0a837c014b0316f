// SPDX-License-Identifier: MIT
// What the devices did, on the stacks that launched it: gpu-time.
//
// --exposed: communication and copies are under [exposed] as far as they own the device's time
// (join/device_work.h), else under [hidden]. --idle: each moment of a device counts once, for what
// owns it.
#pragma once

#include "tools/stackcollapse-trace/fold/compiled_replays.h"
#include "tools/stackcollapse-trace/fold/host_stacks.h"
#include "tools/stackcollapse-trace/fold/inferred_layers.h"
#include "tools/stackcollapse-trace/fold/replays.h"
#include "tools/stackcollapse-trace/fold/root_frames.h"
#include "tools/stackcollapse-trace/join/device_work.h"
#include "tools/stackcollapse-trace/join/launches.h"

namespace aiflame::trace {

// What stands above [cuda graph].
struct GraphFrames {
  const Replays& replays;
  const CompiledReplays& compiled;
  const InferredLayers& layers;
};

class DeviceTime {
 public:
  DeviceTime(const Trace& trace, const Nesting& nesting, const Launches& launches,
             const GraphFrames& graphs, const DevicesWork* devices, HostStacks& host,
             const TraceSettings& settings, ImportedStacks& stacks)
      : trace_(trace),
        settings_(settings),
        nesting_(nesting),
        launches_(launches),
        graphs_(graphs),
        devices_(devices),
        host_(host),
        stacks_(stacks),
        roots_(trace, settings, stacks) {}

  // Adds everything that the devices did.
  void fold();

 private:
  void fold(size_t number);
  // Adds a part of a work. `mark`: a frame on top of the roots, or empty.
  void add(size_t number, uint64_t time, uint64_t records, std::string_view mark);
  uint32_t with_capture(uint32_t stack, size_t number, uint64_t time);
  void find_root_ranges(const Work& work, bool launched);
  uint32_t collective_frame(const Work& work);

  const Trace& trace_;
  const TraceSettings& settings_;
  const Nesting& nesting_;
  const Launches& launches_;
  const GraphFrames graphs_;
  const DevicesWork* devices_;  // nullptr: neither --idle nor --exposed
  HostStacks& host_;
  ImportedStacks& stacks_;
  RootFrames roots_;
  RootRanges ranges_;
  uint64_t ambiguous_ = 0;  // works of which several processes may be the launcher
};

}  // namespace aiflame::trace
