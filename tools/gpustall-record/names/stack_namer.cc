// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/stack_namer.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "plugins/abi/agent_channel.h"

namespace aiflame::record {
namespace {

constexpr std::string_view kCudaGraph = "[cuda graph]", kCommandList = "[command list]";

}  // namespace

bool StackNamer::Order::operator()(const GpustallFrame& a, const GpustallFrame& b) const {
  return std::tie(a.address, a.offset, a.symbol, a.object) <
         std::tie(b.address, b.offset, b.symbol, b.object);
}

// The one copy of the frame; unnamed_ when the process has no room for a new one.
const GpustallFrame* StackNamer::keep(uint32_t pid, GpustallFrame frame) {
  auto at = frames_.find(frame);
  if (at == frames_.end()) {
    if (!budgets_.take(Kept::frames, pid, cost(frame))) return &unnamed_;
    at = frames_.emplace(std::move(frame), Uses{0, pid}).first;
  }
  ++at->second.stacks;
  return &at->first;
}

void StackNamer::release(const Frames& stack) {
  for (const GpustallFrame* frame : stack) {
    if (frame == &unnamed_) continue;
    const auto at = frames_.find(*frame);
    if (--at->second.stacks > 0) continue;
    budgets_.give_back(Kept::frames, at->second.pid, cost(at->first));
    frames_.erase(at);
  }
}

// `frame` is an address, or the number of a text (AGENT_TEXT_FRAME). `is_return`: see CpuNames.
const GpustallFrame* StackNamer::name_frame(uint32_t pid, uint64_t frame, bool is_return) {
  return keep(pid, (frame & AGENT_TEXT_FRAME) != 0 ? python_frames_.frame(pid, frame)
                                                   : cpu_names_.frame_at(pid, {frame, is_return}));
}

void StackNamer::read_ahead(uint32_t pid, const AgentListener::Stack& stack) {
  std::vector<CpuNames::Place> places;
  for (const auto* frames : {&stack.frames, &stack.appended})
    for (size_t i = 0; i < frames->size(); ++i)
      if (((*frames)[i] & AGENT_TEXT_FRAME) == 0) places.push_back({(*frames)[i], i > 0});
  cpu_names_.read_ahead(pid, places);
}

StackNamer::Frames StackNamer::name_frames(uint32_t pid, const AgentListener::Stack& stack) {
  // Agents report the mappings before the stacks. Without an agent, or when the mappings have
  // changed since, /proc has them.
  for (const uint64_t frame : stack.frames) {
    if (frame == 0 || (frame & AGENT_TEXT_FRAME) != 0 || cpu_names_.knows(pid, frame)) continue;
    cpu_names_.read_maps(pid, frame);
    break;
  }
  read_ahead(pid, stack);
  Frames out;
  for (size_t i = 0; i < stack.frames.size(); ++i)
    if (i > 0 || stack.frames[0] != 0) out.push_back(name_frame(pid, stack.frames[i], i > 0));
  if (stack.appended.empty()) {
    put_front(pid, stack.front, out);
    return out;
  }
  // the frames of the call that made a graph's node come before the mark
  const auto mark = std::find_if(
      stack.front.begin(), stack.front.end(), [](const AgentListener::NamedFrame& frame) {
        return frame.symbol == kCudaGraph || frame.symbol == kCommandList;
      });
  put_front(pid, {mark, stack.front.end()}, out);
  Frames appended;
  for (size_t i = 0; i < stack.appended.size(); ++i)
    if (i > 0 || stack.appended[0] != 0)
      appended.push_back(name_frame(pid, stack.appended[i], i > 0));
  put_front(pid, {stack.front.begin(), mark}, appended);
  if (mark == stack.front.end())
    appended.push_back(
        keep(pid, {0, std::string(kCommandList), GpustallFrame::kNoOffset, "[level-zero]"}));
  join(appended, mark == stack.front.end() ? 1 : 0, out);
  return out;
}

// Puts the frames that have only a name in front. When the API's library is linked into the
// program, the API function may be on the stack too. Then the frame with an address is kept, and
// the frames that it called are dropped, since they belong to the library.
void StackNamer::put_front(uint32_t pid, const std::vector<AgentListener::NamedFrame>& front,
                           Frames& stack) {
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
      release({stack.begin(), entered});
      stack.erase(stack.begin(), entered + 1);
      continue;
    }
    named.push_back(keep(pid, {0, std::string(front[i].symbol), GpustallFrame::kNoOffset,
                               std::string(front[i].object)}));
  }
  stack.insert(stack.begin(), named.begin(), named.end());
}

// For a kernel in a command list or a graph: puts the stack that made it a part of that between the
// kernel and the stack that launched the whole. The outermost callers that both share are shown
// once:
//   zeCommandListAppendLaunchKernel, record, [command list],
//   zeCommandQueueExecuteCommandLists, submit, main, _start
// They are compared without lines and offsets: the function in which both part continues at two
// places. If that is a Python function, its frame has a line, and both are shown.
// The last `marks` frames of `made` are marks, not callers.
void StackNamer::join(Frames& made, size_t marks, Frames& stack) {
  const auto name = [](const GpustallFrame& frame) {
    return frame.object == kPythonObject ? without_line(frame.symbol) : frame.symbol;
  };
  const size_t callers = made.size() - marks;
  size_t same = 0;
  while (same + 1 < callers && same + 1 < stack.size()) {
    const GpustallFrame& one = *made[callers - 1 - same];
    const GpustallFrame& other = *stack[stack.size() - 1 - same];
    if (name(one) != name(other) || one.object != other.object) break;
    ++same;
  }
  if (same > 0 && made[callers - same]->object == kPythonObject &&
      made[callers - same]->symbol != stack[stack.size() - same]->symbol)
    --same;
  const auto end = made.begin() + static_cast<ptrdiff_t>(callers);
  const auto begin = end - static_cast<ptrdiff_t>(same);
  release({begin, end});
  made.erase(begin, end);
  stack.insert(stack.begin(), made.begin(), made.end());
}

}  // namespace aiflame::record
