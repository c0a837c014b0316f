// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/host_moments.h"

#include <algorithm>

namespace aiflame::trace {

HostMoment HostMoments::at(uint32_t thread, int64_t time) {
  if (thread == kNoNumber) return {};
  HostMoment moment = of_thread(thread, time);
  const uint32_t main = main_threads_[thread];
  if (moment.phase != HostPhase::nothing || main == thread || main == kNoNumber) return moment;
  const int64_t until = moment.until;
  moment = of_thread(main, time);
  moment.until = std::min(moment.until, until);
  return moment;
}

HostMoment HostMoments::of_thread(uint32_t thread, int64_t time) {
  HostMoment out;
  out.until = nesting_.next_start(thread, time);
  const uint32_t slice = nesting_.innermost(thread, time);
  if (slice == kNoNumber) return out;
  out.until = std::min(out.until, trace_.slices[slice].end);
  out.what = slice;
  out.phase = phase_of(slice, time);
  return out;
}

// A call of the runtime makes others of the driver: the outermost one says what it is for.
HostPhase HostMoments::phase_of(uint32_t slice, int64_t time) {
  uint32_t call = kNoNumber;
  for (uint32_t at = slice; at != kNoNumber; at = trace_.slices[at].parent)
    if (trace_.slices[at].kind == Kind::runtime && trace_.slices[at].end > time) call = at;
  if (call == kNoNumber) return HostPhase::runs;
  const uint32_t frame = trace_.slices[call].frame;
  if (frame >= calls_.size()) calls_.resize(frame + size_t{1}, HostPhase::nothing);
  if (calls_[frame] == HostPhase::nothing) calls_[frame] = phase_of_call(stacks_.text(frame));
  return calls_[frame];
}

}  // namespace aiflame::trace
