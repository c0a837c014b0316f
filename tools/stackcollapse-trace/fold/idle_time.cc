// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/idle_time.h"

#include <algorithm>
#include <tuple>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-trace/fold/root_frames.h"

namespace aiflame::trace {
namespace {

// The main thread is gone through once for each device.
constexpr size_t kMaxDevices = 1024;

class IdleTime {
 public:
  IdleTime(const Trace& trace, const Nesting& nesting, const Launches& launches, HostStacks& host,
           const TraceSettings& settings, ImportedStacks& stacks)
      : trace_(trace),
        nesting_(nesting),
        launches_(launches),
        host_(host),
        stacks_(stacks),
        roots_(trace, settings, stacks) {}

  void fold() {
    std::vector<uint32_t> order(trace_.work.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::make_tuple(device(a), trace_.work[a].start, a) <
             std::make_tuple(device(b), trace_.work[b].start, b);
    });
    size_t devices = 0;
    for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      if (++devices > kMaxDevices)
        throw Error(format("%s: work of more than %zu devices", trace_.path.c_str(), kMaxDevices));
      while (end < order.size() && device(order[end]) == device(order[begin])) ++end;
      fold_device(order.data() + begin, order.data() + end);
    }
  }

 private:
  uint32_t device(uint32_t work) const { return trace_.threads.process(trace_.work[work].track); }

  // The main thread of the process that uses the device, by the first launch that is known.
  uint32_t user_of(const uint32_t* begin, const uint32_t* end) const {
    for (const uint32_t* at = begin; at != end; ++at) {
      const Launch launch = launches_.find(trace_.work[*at]);
      if (launch.slice != kNoNumber) return host_.main_thread(trace_.slices[launch.slice].thread);
    }
    return kNoNumber;
  }

  // From the first event on the main thread or the device to the last.
  void fold_device(const uint32_t* begin, const uint32_t* end) {
    const uint32_t thread = user_of(begin, end);
    const Work& first = trace_.work[*begin];
    int64_t done = first.start, last = first.start;
    if (thread != kNoNumber) {
      for (uint32_t i = nesting_.begin_of(thread); i < nesting_.end_of(thread); ++i) {
        done = std::min(done, trace_.slices[i].start);
        last = std::max(last, trace_.slices[i].end);
      }
    }
    for (const uint32_t* at = begin; at != end; ++at) {
      const Work& work = trace_.work[*at];
      if (work.start > done) fold_gap(work.track, thread, done, work.start);
      done = std::max(done, work.end());
    }
    if (last > done) fold_gap(first.track, thread, done, last);
  }

  // Goes through what the main thread did in a gap.
  void fold_gap(uint32_t track, uint32_t thread, int64_t from, int64_t to) {
    while (from < to) {
      const uint32_t slice = thread == kNoNumber ? kNoNumber : nesting_.innermost(thread, from);
      int64_t until = thread == kNoNumber ? to : std::min(to, nesting_.next_start(thread, from));
      if (slice != kNoNumber) until = std::min(until, trace_.slices[slice].end);
      const uint64_t time = static_cast<uint64_t>(until - from);
      stacks_.read(time);
      stacks_.part("idle", time);
      host_.set(slice, from);
      uint32_t stack = roots_.stack(from, track, host_.root_ranges());
      stacks_.add(host_.append_to(stacks_.child(stack, "[gpu idle]")), time);
      from = until;
    }
  }

  const Trace& trace_;
  const Nesting& nesting_;
  const Launches& launches_;
  HostStacks& host_;
  ImportedStacks& stacks_;
  RootFrames roots_;
};

}  // namespace

void fold_idle_time(const Trace& trace, const Nesting& nesting, const Launches& launches,
                    HostStacks& host, const TraceSettings& settings, ImportedStacks& stacks) {
  IdleTime(trace, nesting, launches, host, settings, stacks).fold();
}

}  // namespace aiflame::trace
