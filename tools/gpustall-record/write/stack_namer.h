// SPDX-License-Identifier: MIT
// Names the frames of launches' CPU stacks.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/capture/agent_records.h"
#include "tools/gpustall-record/capture/python_frames.h"
#include "tools/gpustall-record/write/cpu_names.h"

namespace aiflame::record {

class StackNamer {
 public:
  using Frames = std::vector<const GpustallFrame*>;

  StackNamer(CpuNames& cpu_names, const PythonFrames& python_frames)
      : cpu_names_(cpu_names), python_frames_(python_frames) {}

  // Leaf first, without the kernel. The frames stay as long as this does.
  Frames name(uint32_t pid, const AgentListener::Stack& stack);

 private:
  struct Order {
    bool operator()(const GpustallFrame& a, const GpustallFrame& b) const;
  };

  const GpustallFrame* frame_of(uint32_t pid, uint64_t frame, bool is_return);
  void put_front(const std::vector<AgentListener::NamedFrame>& front, Frames& stack);
  void put_appended(uint32_t pid, const std::vector<uint64_t>& appended, Frames& stack);

  CpuNames& cpu_names_;
  const PythonFrames& python_frames_;
  // Of all stacks, each once: threads that come and go launch from the same code.
  std::set<GpustallFrame, Order> frames_;
};

}  // namespace aiflame::record
