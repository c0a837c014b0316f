// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/own_times.h"

#include <algorithm>

namespace aiflame::trace {
namespace {

// The slices of one thread that have begun, the innermost one last. Those below it may have ended.
class OpenSlices {
 public:
  OpenSlices(const Trace& trace, std::vector<int64_t>& own) : trace_(trace), own_(own) {}

  void begin(uint32_t slice) {
    pass(trace_.slices[slice].start);
    open_.push_back(slice);
  }
  void end_thread() {
    pass(INT64_MAX);
    now_ = INT64_MIN;
  }

 private:
  // Gives the time until then to the slices that were the innermost.
  void pass(int64_t until) {
    while (!open_.empty() && now_ < until) {
      const int64_t end = trace_.slices[open_.back()].end;
      if (end > now_) {
        own_[open_.back()] += std::min(end, until) - now_;
        now_ = std::min(end, until);
      }
      if (end <= now_) open_.pop_back();
    }
    now_ = until;
  }

  const Trace& trace_;
  std::vector<int64_t>& own_;
  std::vector<uint32_t> open_;
  int64_t now_ = INT64_MIN;
};

}  // namespace

std::vector<int64_t> own_times(const Trace& trace) {
  std::vector<int64_t> own(trace.slices.size());
  OpenSlices open(trace, own);
  for (uint32_t i = 0; i < own.size(); ++i) {
    if (i > 0 && trace.slices[i - 1].thread != trace.slices[i].thread) open.end_thread();
    open.begin(i);
  }
  open.end_thread();
  return own;
}

int64_t stack_time(const Trace& trace, const Slice& slice) {
  const bool outlasts = slice.parent != kNoNumber && trace.slices[slice.parent].end < slice.end;
  return outlasts ? slice.start + (slice.end - slice.start) / 2 : slice.start;
}

}  // namespace aiflame::trace
