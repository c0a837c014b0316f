// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/idle_time.h"

#include <algorithm>
#include <optional>

#include "libcommon/timeline/idle_causes.h"
#include "libcommon/timeline/timeline_stacks.h"
#include "tools/stackcollapse-trace/fold/root_frames.h"
#include "tools/stackcollapse-trace/join/host_moments.h"

namespace aiflame::trace {
namespace {

class IdleTime {
 public:
  IdleTime(const Trace& trace, const Nesting& nesting, const Launches& launches,
           const Replays& replays, bool tells_idle, HostStacks& host, const TraceSettings& settings,
           ImportedStacks& stacks)
      : trace_(trace),
        nesting_(nesting),
        launches_(launches),
        replays_(replays),
        tells_idle_(tells_idle),
        host_(host),
        settings_(settings),
        stacks_(stacks),
        budget_(trace.path),
        roots_(trace, settings, stacks),
        moments_(trace, nesting, stacks, host.main_threads()) {}

  void fold(const DeviceWork& device) {
    track_ = trace_.work[device.works.front()].track;
    user_ = user_of(device);
    for (const DeviceGap& gap : device.timeline.gaps) {
      if (tells_idle_)
        fold_gap(gap, device.next_of(gap));
      else
        add("not recorded", stacks_.child(roots_of_device(gap.from), kNotRecorded), gap.from,
            gap.to);
    }
    if (settings_.timeline.outside) fold_outside(device.timeline);
  }

 private:
  // The main thread of the process that uses the device, by the first launch that is known.
  uint32_t user_of(const DeviceWork& device) const {
    for (const uint32_t work : device.works) {
      const Launch launch = launches_.find(trace_.work[work]);
      if (launch.slice != kNoNumber) return host_.main_thread(trace_.slices[launch.slice].thread);
    }
    return kNoNumber;
  }

  void fold_gap(const DeviceGap& gap, uint32_t next) {
    const Launch launch = next == kNoNumber ? Launch() : launches_.find(trace_.work[next]);
    uint32_t thread = user_;
    std::optional<int64_t> launched;
    if (launch.slice != kNoNumber) {
      thread = trace_.slices[launch.slice].thread;
      launched = trace_.slices[launch.slice].end;
    }
    for (const IdlePart& part :
         explain_gap(gap, launched, [&](int64_t time) { return moments_.at(thread, time); })) {
      const bool of_launch =
          part.cause == IdleCause::launch_latency || part.cause == IdleCause::untraced;
      if (of_launch)
        host_.set(launch.slice, launch.time);
      else
        host_.set(part.what, part.from);
      uint32_t stack = stacks_.child(roots_of_device(part.from), kGpuIdle);
      stack = stacks_.child(stack, idle_frame(part.cause));
      if (part.cause == IdleCause::untraced && launch.slice != kNoNumber)
        stack = stacks_.child(stack, kNextLaunch);
      stack = host_.append_to(stack);
      if (of_launch && launch.slice != kNoNumber) stack = with_graph(stack, launch.slice, next);
      add("idle", stack, part.from, part.to);
    }
  }

  // From the first event of the device's user to its last.
  void fold_outside(const DeviceTimeline& timeline) {
    if (user_ == kNoNumber) return;
    int64_t first = timeline.from, last = timeline.to;
    for (uint32_t i = nesting_.begin_of(user_); i < nesting_.end_of(user_); ++i) {
      first = std::min(first, trace_.slices[i].start);
      last = std::max(last, trace_.slices[i].end);
    }
    fold_host({first, timeline.from}, kBeforeTheFirst);
    fold_host({timeline.to, last}, kAfterTheLast);
  }

  void fold_host(const DeviceGap& gap, std::string_view name) {
    for (const IdlePart& part :
         explain_gap(gap, std::nullopt, [&](int64_t time) { return moments_.at(user_, time); })) {
      const bool untraced = part.cause == IdleCause::untraced;
      host_.set(untraced ? kNoNumber : part.what, part.from);
      uint32_t stack = stacks_.child(roots_of_device(part.from), name);
      if (untraced) stack = stacks_.child(stack, idle_frame(part.cause));
      add("outside the window", host_.append_to(stack), part.from, part.to);
    }
  }

  // What ends the gap may be a kernel of a graph: the current stack of the host is its launch's.
  uint32_t with_graph(uint32_t stack, uint32_t launch, uint32_t next) {
    if (!trace_.slices[launch].graph && trace_.work[next].graph == 0) return stack;
    stack = stacks_.child(stack, kCudaGraph);
    return replays_.add_captured(stack, next, host_.append_to(ImportedStacks::kEmpty), stacks_);
  }

  uint32_t roots_of_device(int64_t time) {
    return roots_.device_stack(time, track_, host_.root_ranges());
  }

  void add(std::string_view what, uint32_t stack, int64_t from, int64_t to) {
    budget_.spend(host_.depth());
    const uint64_t time = nanoseconds_between(from, to);
    stacks_.read(time);
    stacks_.part(what, time);
    stacks_.add(stack, time);
  }

  const Trace& trace_;
  const Nesting& nesting_;
  const Launches& launches_;
  const Replays& replays_;
  const bool tells_idle_;
  HostStacks& host_;
  const TraceSettings& settings_;
  ImportedStacks& stacks_;
  GapBudget budget_;
  RootFrames roots_;
  HostMoments moments_;
  uint32_t track_ = 0;         // one of the device
  uint32_t user_ = kNoNumber;  // a thread
};

}  // namespace

void fold_idle_time(const Trace& trace, const Nesting& nesting, const Launches& launches,
                    const Replays& replays, const DevicesWork& devices,
                    const LaunchCoverage& coverage, HostStacks& host, const TraceSettings& settings,
                    ImportedStacks& stacks) {
  IdleTime idle(trace, nesting, launches, replays, coverage.tells_idle(), host, settings, stacks);
  for (const DeviceWork& device : devices.devices()) {
    host.set(kNoNumber, 0);
    idle.fold(device);
  }
}

}  // namespace aiflame::trace
