// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/range_roots.h"

#include "libcommon/folded/folded.h"
#include "libcommon/import/wanted_ranges.h"
#include "tools/stackcollapse-rocprof/host_threads.h"
#include "tools/stackcollapse-rocprof/launches.h"

namespace aiflame::rocprof {

RangeRoots::RangeRoots(const ProcessTrace& process, const Settings& settings,
                       ImportedStacks& stacks)
    : choice_(settings.import.by_range), stacks_(stacks) {
  if (!choice_.is_set()) return;
  WantedRanges ranges(choice_, stacks);
  for (const MarkedRange& one : process.ranges) {
    if (one.is_call || one.begin == one.end) continue;  // a mark has no length
    const auto [frame, is_new] = frames_.try_emplace(one.name);
    if (is_new) frame->second = range_stack_frame(process, one, stacks);
    if (ranges.count(frame->second))
      instances_.add(0, one.thread, time_of(one.begin), time_of(one.end), one.name);
  }
  ranges.finish();
  instances_.finish();
}

bool RangeRoots::has(const MarkedRange& range) const {
  return !range.is_call &&
         instances_.has(range.thread, time_of(range.begin), time_of(range.end), range.name);
}

const RangeInstance* RangeRoots::find(uint64_t thread, uint64_t time) const {
  const RangeInstance* own = thread == 0 ? nullptr : instances_.find(thread, time_of(time));
  return own != nullptr ? own : instances_.find(0, time_of(time));
}

uint32_t RangeRoots::append(uint32_t stack, const RangeInstance* instance) const {
  if (!choice_.is_set()) return stack;
  if (instance == nullptr) return stacks_.child(stack, choice_.outside());
  const std::string_view range = stacks_.text(frames_.at(instance->key));
  return stacks_.child(stack, instance_frame(without_annotation(range), instance->number));
}

uint32_t RangeRoots::append_to(uint32_t stack, const ApiCall* call) const {
  return append(stack, call == nullptr ? nullptr : find(call->thread, call->time));
}

uint32_t RangeRoots::append_to(uint32_t stack, uint64_t thread, uint64_t time) const {
  return append(stack, find(thread, time));
}

}  // namespace aiflame::rocprof
