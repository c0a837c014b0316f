// SPDX-License-Identifier: MIT
// Names the frames of launches' CPU stacks, as agents and probes report them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/agents/agent_listener.h"
#include "tools/gpustall-record/budget/budgets.h"
#include "tools/gpustall-record/names/cpu_names.h"
#include "tools/gpustall-record/names/python_frames.h"

namespace aiflame::record {

class StackNamer {
 public:
  using Frames = std::vector<const GpustallFrame*>;

  // Frames count in `budgets`.
  StackNamer(CpuNames& cpu_names, const PythonFrames& python_frames, Budgets& budgets)
      : cpu_names_(cpu_names), python_frames_(python_frames), budgets_(budgets) {}

  // The stack's frames, leaf first, without the kernel. The pointers stay valid until the stack is
  // released.
  Frames name_frames(uint32_t pid, const AgentListener::Stack& stack);
  // Forgets the frames that only this stack has.
  void release(const Frames& stack);

 private:
  struct Order {
    bool operator()(const GpustallFrame& a, const GpustallFrame& b) const;
  };

  // Reads the symbols of all frames at once.
  void read_ahead(uint32_t pid, const AgentListener::Stack& stack);
  struct Uses {
    uint64_t stacks = 0;  // how often stacks have the frame
    uint32_t pid = 0;     // of the process whose budget it is in
  };
  static uint64_t cost(const GpustallFrame& frame) {
    return 176 + frame.symbol.size() + frame.object.size();
  }

  const GpustallFrame* keep(uint32_t pid, GpustallFrame frame);
  const GpustallFrame* name_frame(uint32_t pid, uint64_t frame, bool is_return);
  void put_front(uint32_t pid, const std::vector<AgentListener::NamedFrame>& front, Frames& stack);
  void join(Frames& made, size_t marks, Frames& stack);

  CpuNames& cpu_names_;
  const PythonFrames& python_frames_;
  Budgets& budgets_;
  // The frames of all stacks, each stored once: threads that come and go launch from the same code.
  std::map<GpustallFrame, Uses, Order> frames_;
  const GpustallFrame unnamed_{0, "[unknown]", GpustallFrame::kNoOffset, "[unknown]"};
};

}  // namespace aiflame::record
