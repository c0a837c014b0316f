// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/slice_instances.h"

#include "libcommon/folded/folded.h"
#include "libcommon/import/range_instances.h"
#include "libcommon/import/wanted_ranges.h"

namespace aiflame::trace {

SliceInstances::SliceInstances(const Trace& trace, const TraceSettings& settings,
                               ImportedStacks& stacks)
    : trace_(trace) {
  const RangeChoice& choice = settings.import.by_range;
  if (!choice.is_set()) return;
  WantedRanges ranges(choice, stacks);
  RangeInstances found;
  for (uint32_t i = 0; i < trace.slices.size(); ++i) {
    const Slice& slice = trace.slices[i];
    if (slice.kind != Kind::range || slice.of_device) continue;
    if (ranges.count(slice.frame))
      found.add(trace.threads.process(slice.thread), slice.thread, slice.start, slice.end, i);
  }
  ranges.finish();
  found.finish();
  for (const RangeInstance& one : found.all()) {
    const Slice& slice = trace.slices[one.key];
    const uint32_t frame =
        stacks.frame(instance_frame(without_annotation(stacks.text(slice.frame)), one.number));
    frames_.emplace(one.key, frame);
    if (slice.id != kNoId) by_id_.emplace(slice.id, frame);
  }
}

uint32_t SliceInstances::frame_of(uint32_t slice) const {
  if (frames_.empty()) return kNoNumber;
  const Slice& one = trace_.slices[slice];
  if (one.of_device) {
    const auto at = by_id_.find(one.sequence);
    return at == by_id_.end() ? kNoNumber : at->second;
  }
  const auto at = frames_.find(slice);
  return at == frames_.end() ? kNoNumber : at->second;
}

}  // namespace aiflame::trace
