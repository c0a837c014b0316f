// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/idle_time.h"

#include <algorithm>

#include "libcommon/timeline/idle_causes.h"
#include "tools/stackcollapse-trace/fold/root_frames.h"
#include "tools/stackcollapse-trace/join/host_moments.h"

namespace aiflame::trace {
namespace {

class IdleTime {
 public:
  IdleTime(const Trace& trace, const Nesting& nesting, const Launches& launches, bool tells_idle,
           HostStacks& host, const TraceSettings& settings, ImportedStacks& stacks)
      : trace_(trace),
        nesting_(nesting),
        launches_(launches),
        tells_idle_(tells_idle),
        host_(host),
        settings_(settings),
        stacks_(stacks),
        roots_(trace, settings, stacks),
        moments_(trace, nesting, stacks, host.main_threads()) {}

  void fold(const DeviceWork& device) {
    track_ = trace_.work[device.works.front()].track;
    user_ = user_of(device);
    for (const DeviceGap& gap : device.timeline.gaps) {
      if (tells_idle_)
        fold_gap(gap, device.next_of(gap));
      else
        add("not recorded", roots_of_device(gap.from), kNotRecorded, {}, gap.from, gap.to);
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
      std::vector<std::string_view> frames = {idle_frame(part.cause)};
      if (part.cause == IdleCause::untraced && launch.slice != kNoNumber)
        frames.push_back(kNextLaunch);
      add("idle", roots_of_device(part.from), kGpuIdle, frames, part.from, part.to);
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
      std::vector<std::string_view> frames;
      if (untraced) frames.push_back(idle_frame(part.cause));
      add("outside the window", roots_of_device(part.from), name, frames, part.from, part.to);
    }
  }

  uint32_t roots_of_device(int64_t time) {
    return roots_.device_stack(time, track_, host_.root_ranges());
  }

  // The current stack of the host on top of `frame` and `frames`.
  void add(std::string_view what, uint32_t stack, std::string_view frame,
           const std::vector<std::string_view>& frames, int64_t from, int64_t to) {
    const uint64_t time = nanoseconds_between(from, to);
    stacks_.read(time);
    stacks_.part(what, time);
    stack = stacks_.child(stack, frame);
    for (const std::string_view one : frames) stack = stacks_.child(stack, one);
    stacks_.add(host_.append_to(stack), time);
  }

  const Trace& trace_;
  const Nesting& nesting_;
  const Launches& launches_;
  const bool tells_idle_;
  HostStacks& host_;
  const TraceSettings& settings_;
  ImportedStacks& stacks_;
  RootFrames roots_;
  HostMoments moments_;
  uint32_t track_ = 0;         // one of the device
  uint32_t user_ = kNoNumber;  // a thread
};

}  // namespace

void fold_idle_time(const Trace& trace, const Nesting& nesting, const Launches& launches,
                    const DevicesWork& devices, const LaunchCoverage& coverage, HostStacks& host,
                    const TraceSettings& settings, ImportedStacks& stacks) {
  IdleTime idle(trace, nesting, launches, coverage.tells_idle(), host, settings, stacks);
  for (const DeviceWork& device : devices.devices()) {
    host.set(kNoNumber, 0);
    idle.fold(device);
  }
}

}  // namespace aiflame::trace
