// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/nvtx_ranges.h"

#include "libcommon/perf_script/nvtx_frame.h"
#include "tools/stackcollapse-nsys/export_time.h"

namespace aiflame::nsys {
namespace {

// ENUM_NSYS_EVENT_TYPE: NvtxPushPopRange, NvtxStartEndRange, NvtxtPushPopRange,
// NvtxtStartEndRange. Others are marks, and names of domains, categories and threads.
bool is_range(std::optional<int64_t> type) {
  return !type || *type == 59 || *type == 60 || *type == 70 || *type == 71;
}

}  // namespace

namespace {

// `wanted`: those that see() gets.
void each_range(const SqliteDatabase& database, const Strings& strings,
                const Settings::Frames& frames, ImportedStacks& stacks, const WantedRange& wanted,
                const SeeRange& see) {
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
    const NvtxFrame frame = nvtx_frame(text ? *text : strings.text(rows.number(5)));
    if (frame.is_operator ? frames.operators : frames.ranges)
      see(on, nanoseconds(*begin), until, stacks.frame(frame.text));
  }
}

}  // namespace

void each_nvtx_range(const SqliteDatabase& database, const Strings& strings,
                     const Settings::Frames& frames, ImportedStacks& stacks, const SeeRange& see) {
  each_range(
      database, strings, frames, stacks, [](uint64_t, uint64_t, uint64_t) { return true; }, see);
}

ThreadRanges read_nvtx_ranges(const SqliteDatabase& database, const Strings& strings,
                              const Settings::Frames& frames, ImportedStacks& stacks,
                              const WantedRange& wanted) {
  ThreadRanges out(stacks);
  each_range(database, strings, frames, stacks, wanted,
             [&](uint64_t thread, uint64_t begin, uint64_t end, uint32_t frame) {
               out.add(thread, begin, end, frame);
             });
  out.sort();
  return out;
}

}  // namespace aiflame::nsys
