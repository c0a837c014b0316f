// SPDX-License-Identifier: MIT
// Names the frames of launches' CPU stacks, as agents and probes report them.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/capture/agent_listener.h"
#include "tools/gpustall-record/names/cpu_names.h"
#include "tools/gpustall-record/names/python_frames.h"

namespace aiflame::record {

class StackNamer {
 public:
  using Frames = std::vector<const GpustallFrame*>;

  StackNamer(CpuNames& cpu_names, const PythonFrames& python_frames)
      : cpu_names_(cpu_names), python_frames_(python_frames) {}

  // The stack's frames, leaf first, without the kernel. The pointers stay valid as long as this
  // object.
  Frames name_frames(uint32_t pid, const AgentListener::Stack& stack);

 private:
  struct Order {
    bool operator()(const GpustallFrame& a, const GpustallFrame& b) const;
  };

  // Reads the symbols of all frames at once.
  void read_ahead(uint32_t pid, const AgentListener::Stack& stack);
  const GpustallFrame* name_frame(uint32_t pid, uint64_t frame, bool is_return);
  void put_front(const std::vector<AgentListener::NamedFrame>& front, Frames& stack);
  void put_appended(uint32_t pid, const std::vector<uint64_t>& appended, Frames& stack);

  CpuNames& cpu_names_;
  const PythonFrames& python_frames_;
  // The frames of all stacks, each stored once: threads that come and go launch from the same code.
  std::set<GpustallFrame, Order> frames_;
};

}  // namespace aiflame::record
