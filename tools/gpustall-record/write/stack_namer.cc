// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/stack_namer.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "plugins/abi/agent_channel.h"

namespace aiflame::record {

bool StackNamer::Order::operator()(const GpustallFrame& a, const GpustallFrame& b) const {
  return std::tie(a.address, a.offset, a.symbol, a.object) <
         std::tie(b.address, b.offset, b.symbol, b.object);
}

// A frame as an agent has it. `is_return`: see CpuNames.
const GpustallFrame* StackNamer::frame_of(uint32_t pid, uint64_t frame, bool is_return) {
  GpustallFrame named = (frame & AGENT_TEXT_FRAME) != 0 ? python_frames_.frame(pid, frame)
                                                        : cpu_names_.name(pid, frame, is_return);
  return &*frames_.insert(std::move(named)).first;
}

StackNamer::Frames StackNamer::name(uint32_t pid, const AgentListener::Stack& stack) {
  // an agent tells of the mappings first; where there is none, or they changed since, a look helps
  for (const uint64_t frame : stack.frames) {
    if (frame == 0 || (frame & AGENT_TEXT_FRAME) != 0 || cpu_names_.knows(pid, frame)) continue;
    cpu_names_.read_maps(pid);
    break;
  }
  Frames out;
  for (size_t i = 0; i < stack.frames.size(); ++i)
    if (i > 0 || stack.frames[0] != 0) out.push_back(frame_of(pid, stack.frames[i], i > 0));
  put_front(stack.front, out);
  if (!stack.appended.empty()) put_appended(pid, stack.appended, out);
  return out;
}

// Puts frames that have only a name in front. The API function that was entered may be on the stack
// too, where the program has its library linked into it: it is then the one that has an address,
// and what it called is the library's own.
void StackNamer::put_front(const std::vector<AgentListener::NamedFrame>& front, Frames& stack) {
  constexpr size_t kInsideLibrary = 8;
  Frames named;
  for (size_t i = 0; i < front.size(); ++i) {
    const auto inside =
        stack.begin() + static_cast<ptrdiff_t>(std::min(stack.size(), kInsideLibrary));
    const auto entered = front[i].object != front[0].object
                             ? inside
                             : std::find_if(stack.begin(), inside, [&](const GpustallFrame* frame) {
                                 return frame->symbol == front[i].symbol;
                               });
    if (entered != inside) {
      named.push_back(*entered);
      stack.erase(stack.begin(), entered + 1);
      continue;
    }
    const GpustallFrame text{0, std::string(front[i].symbol), GpustallFrame::kNoOffset,
                             std::string(front[i].object)};
    named.push_back(&*frames_.insert(text).first);
  }
  stack.insert(stack.begin(), named.begin(), named.end());
}

// Puts where the kernel was appended to the list between the kernel and where the list was
// executed, without the callers that both have:
//   zeCommandListAppendLaunchKernel, record, [command list],
//   zeCommandQueueExecuteCommandLists, submit, main, _start
void StackNamer::put_appended(uint32_t pid, const std::vector<uint64_t>& appended, Frames& stack) {
  Frames joined;
  for (size_t i = 0; i < appended.size(); ++i) joined.push_back(frame_of(pid, appended[i], i > 0));
  // by name: they go on from different places in the function that calls both
  const auto name = [](const GpustallFrame& frame) {
    return frame.object == kPythonObject ? without_line(frame.symbol) : frame.symbol;
  };
  size_t same = 0;
  while (same + 1 < joined.size() && same + 1 < stack.size()) {
    const GpustallFrame& one = *joined[joined.size() - 1 - same];
    const GpustallFrame& other = *stack[stack.size() - 1 - same];
    if (name(one) != name(other) || one.object != other.object) break;
    ++same;
  }
  joined.resize(joined.size() - same);
  const GpustallFrame boundary{0, "[command list]", GpustallFrame::kNoOffset, "[level-zero]"};
  joined.push_back(&*frames_.insert(boundary).first);
  stack.insert(stack.begin(), joined.begin(), joined.end());
}

}  // namespace aiflame::record
