// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/nvtx_ranges.h"

#include <algorithm>
#include <tuple>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-nsys/frame_texts.h"

namespace aiflame::nsys {
namespace {

// ENUM_NSYS_EVENT_TYPE: NvtxPushPopRange, NvtxStartEndRange, NvtxtPushPopRange,
// NvtxtStartEndRange. Others are marks, and names of domains, categories and threads.
bool is_range(std::optional<int64_t> type) {
  return !type || *type == 59 || *type == 60 || *type == 70 || *type == 71;
}

// The ranges around a moment of a thread. Those of push and pop are nested; those of start and end,
// and those of several domains, may end in any order.
class OpenRanges {
 public:
  OpenRanges(ImportedStacks& stacks) : stacks_(stacks) {}

  void clear() { open_.clear(); }
  void open(int64_t end, uint32_t frame) {
    if (open_.size() < NvtxRanges::kDeepest) open_.push_back({end, frame});
  }
  void close_until(int64_t time) {
    std::erase_if(open_, [&](const Open& one) { return one.end <= time; });
  }
  uint32_t stack(uint32_t below) const {
    for (const Open& one : open_) below = stacks_.child(below, one.frame);
    return below;
  }

 private:
  struct Open {
    int64_t end;
    uint32_t frame;
  };
  ImportedStacks& stacks_;
  std::vector<Open> open_;
};

}  // namespace

NvtxRanges::NvtxRanges(const Database& database, const Strings& strings,
                       const Settings::Frames& frames, ImportedStacks& stacks, const Wanted& wanted)
    : stacks_(stacks) {
  Rows rows =
      database.rows("NVTX_EVENTS", {"start", "end", "globalTid", "eventType", "text", "textId"}, 3);
  while (rows.next()) {
    const auto begin = rows.number(0), thread = rows.number(2);
    if (!begin || !thread || !is_range(rows.number(3))) continue;
    // one that was never closed lasts to the end of the recording
    const int64_t end = rows.number(1).value_or(INT64_MAX);
    if (!wanted(*thread, *begin, end)) continue;
    const auto text = rows.text(4);
    const RangeFrame frame = nvtx_frame(text ? *text : strings.text(rows.number(5)));
    if (frame.is_operator ? frames.operators : frames.ranges)
      ranges_.push_back({*thread, *begin, end, stacks_.frame(frame.text)});
  }
  std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return std::tie(a.thread, a.begin, b.end) < std::tie(b.thread, b.begin, a.end);
  });
}

void NvtxRanges::enclose(std::vector<HostCall>& calls) const {
  OpenRanges open(stacks_);
  auto next = ranges_.begin();
  const HostCall* before = nullptr;
  for (HostCall& call : calls) {
    if (before == nullptr || before->thread != call.thread) {
      open.clear();
      next = std::lower_bound(next, ranges_.end(), call.thread,
                              [](const Range& a, int64_t thread) { return a.thread < thread; });
    }
    open.close_until(call.time);
    for (; next != ranges_.end() && next->thread == call.thread && next->begin <= call.time; ++next)
      if (next->end > call.time) open.open(next->end, next->frame);
    call.stack = open.stack(call.stack);
    before = &call;
  }
}

}  // namespace aiflame::nsys
