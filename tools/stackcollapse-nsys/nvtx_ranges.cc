// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/nvtx_ranges.h"

#include <algorithm>

#include "libcommon/folded/folded.h"
#include "libcommon/import/wanted_ranges.h"
#include "libcommon/perf_script/nvtx_frame.h"
#include "libcommon/timeline/host_activity.h"
#include "tools/stackcollapse-nsys/export_time.h"
#include "tools/stackcollapse-nsys/processes.h"

namespace aiflame::nsys {
namespace {

// ENUM_NSYS_EVENT_TYPE: NvtxPushPopRange, NvtxStartEndRange, NvtxtPushPopRange,
// NvtxtStartEndRange. Others are marks, and names of domains, categories and threads.
bool is_range(std::optional<int64_t> type) {
  return !type || *type == 59 || *type == 60 || *type == 70 || *type == 71;
}

int64_t instance_time(uint64_t time) {
  return static_cast<int64_t>(std::min<uint64_t>(time, INT64_MAX));
}

template <typename See>
void each_range(const SqliteDatabase& database, const Strings& strings, const WantedRange& wanted,
                const See& see) {
  SqliteRows rows =
      database.rows("NVTX_EVENTS", {"start", "end", "globalTid", "eventType", "text", "textId"}, 3);
  while (rows.next()) {
    const auto begin = rows.number(0), end = rows.number(1), thread = rows.number(2);
    if (!begin || !thread || !is_range(rows.number(3))) continue;
    // one that was never closed lasts to the end of the recording
    const uint64_t until = end ? nanoseconds(*end) : UINT64_MAX;
    const auto on = static_cast<uint64_t>(*thread);
    if (!wanted(on, nanoseconds(*begin), until)) continue;
    const auto text = rows.text(4);
    see(on, nanoseconds(*begin), until, nvtx_frame(text ? *text : strings.text(rows.number(5))));
  }
}

}  // namespace

NvtxRanges::NvtxRanges(const SqliteDatabase& database, const Strings& strings,
                       const Settings& settings, ImportedStacks& stacks)
    : database_(database), strings_(strings), settings_(settings), stacks_(stacks) {
  if (settings.import.by_range.is_set()) find_instances();
}

void NvtxRanges::find_instances() {
  WantedRanges ranges(settings_.import.by_range, stacks_);
  each_range(
      database_, strings_, [](uint64_t, uint64_t, uint64_t) { return true; },
      [&](uint64_t thread, uint64_t begin, uint64_t end, const NvtxFrame& range) {
        const uint32_t frame = stacks_.frame(range.text);
        if (ranges.count(frame))
          instances_.add(static_cast<uint64_t>(process_of(thread)), thread, instance_time(begin),
                         instance_time(end), frame);
      });
  ranges.finish();
  instances_.finish();
}

void NvtxRanges::each_wanted(const WantedRange& wanted, const SeeRange& see) const {
  const Settings::Frames& frames = settings_.frames;
  each_range(database_, strings_, wanted,
             [&](uint64_t thread, uint64_t begin, uint64_t end, const NvtxFrame& range) {
               const uint32_t frame = stacks_.frame(range.text);
               if (instances_.has(thread, instance_time(begin), instance_time(end), frame))
                 see(thread, begin, end, HostActivity::kNoFrame);
               else if (range.is_operator ? frames.operators : frames.ranges)
                 see(thread, begin, end, frame);
             });
}

void NvtxRanges::each(const SeeRange& see) const {
  each_wanted([](uint64_t, uint64_t, uint64_t) { return true; }, see);
}

ThreadRanges NvtxRanges::around(const WantedRange& wanted) const {
  ThreadRanges out(stacks_);
  each_wanted(wanted, [&](uint64_t thread, uint64_t begin, uint64_t end, uint32_t frame) {
    if (frame != HostActivity::kNoFrame) out.add(thread, begin, end, frame);
  });
  out.sort();
  return out;
}

bool NvtxRanges::is_in_instance(uint64_t thread, uint64_t time) const {
  return instances_.find(thread, instance_time(time)) != nullptr;
}

uint32_t NvtxRanges::append_instance(uint32_t stack, std::optional<uint64_t> thread,
                                     uint64_t time) const {
  const RangeChoice& choice = settings_.import.by_range;
  if (!choice.is_set()) return stack;
  const RangeInstance* one = thread ? instances_.find(*thread, instance_time(time)) : nullptr;
  if (one == nullptr) return stacks_.child(stack, choice.outside());
  return stacks_.child(stack,
                       instance_frame(without_annotation(stacks_.text(one->key)), one->number));
}

}  // namespace aiflame::nsys
