// SPDX-License-Identifier: MIT
#include "libcommon/timeline/timeline_stacks.h"

#include <algorithm>

#include "libcommon/base/options.h"
#include "libcommon/base/program.h"

namespace aiflame {
namespace {

// What a stack costs beside its frames, and how many frames those of calls and ranges have.
constexpr size_t kStackCost = 60, kUsualFrames = 40;

class Gaps {
 public:
  Gaps(const DeviceGaps& device, const HostActivity& host, ImportedStacks& stacks)
      : device_(device), host_(host), stacks_(stacks) {}

  void add_not_recorded(const DeviceGap& gap) {
    add("not recorded", gap.from, gap.to,
        roots_and(gap.from, device_.user.thread, gap.from, kNotRecorded));
  }

  void add_gap(const DeviceGap& gap) {
    const HostLaunch launch =
        gap.next == DeviceGap::kNone ? device_.user : device_.launch_of(gap.next);
    for (const IdlePart& part : explain(gap, launch)) {
      const bool of_launch =
          part.cause == IdleCause::launch_latency || part.cause == IdleCause::untraced;
      const int64_t host_time = of_launch && launch.returned ? launch.called : part.from;
      uint32_t stack = roots_and(part.from, launch.thread, host_time, kGpuIdle);
      stack = stacks_.child(stack, idle_frame(part.cause));
      if (part.cause == IdleCause::untraced && launch.returned)
        stack = stacks_.child(stack, kNextLaunch);
      const uint32_t top = !of_launch        ? part.what
                           : launch.returned ? launch.stack
                                             : ImportedStacks::kEmpty;
      add("idle", part.from, part.to, stacks_.append(stack, top));
    }
  }

  void add_outside(int64_t from, int64_t to, std::string_view name) {
    HostLaunch user = device_.user;
    user.returned.reset();
    for (const IdlePart& part : explain({from, to}, user)) {
      uint32_t stack = roots_and(part.from, user.thread, part.from, name);
      stack = part.cause == IdleCause::untraced ? stacks_.child(stack, idle_frame(part.cause))
                                                : stacks_.append(stack, part.what);
      add("outside the window", part.from, part.to, stack);
    }
  }

 private:
  std::vector<IdlePart> explain(const DeviceGap& gap, const HostLaunch& launch) const {
    return explain_gap(gap, launch.returned,
                       [&](int64_t time) { return host_.at(launch.thread, launch.main, time); });
  }
  uint32_t roots_and(int64_t time, uint64_t thread, int64_t host_time, std::string_view frame) {
    return stacks_.child(device_.roots_at(time, thread, host_time), frame);
  }
  void add(std::string_view what, int64_t from, int64_t to, uint32_t stack) {
    device_.budget.spend(kUsualFrames);
    const uint64_t time = nanoseconds_between(from, to);
    stacks_.read(time);
    stacks_.part(what, time);
    stacks_.add(stack, time);
  }

  const DeviceGaps& device_;
  const HostActivity& host_;
  ImportedStacks& stacks_;
};

}  // namespace

void GapBudget::spend(size_t frames) {
  if (frames + kStackCost > left_)
    throw Error(place_ + (place_.empty() ? "" : ": ") +
                "too many gaps of devices beside too many calls for --idle");
  left_ -= frames + kStackCost;
}

void TimelineSettings::check() const {
  if (outside && !idle) throw UsageError("option '--outside' needs '--idle'");
}

void add_timeline_options(Options& options, TimelineSettings& settings) {
  options.flag(
      "idle", settings.idle,
      "also the time in which a device did nothing, under [gpu idle] and its cause, on the "
      "stack of the host; each moment of a device counts once");
  options.flag("outside", settings.outside,
               "with --idle: also the time of the host before a device's first work and after its "
               "last");
  options.flag("exposed", settings.exposed,
               "communication and copies under [exposed], where no computation covered them, and "
               "[hidden]");
}

void add_work(
    const WorkTime& work, const TimelineSettings& settings, ImportedStacks& stacks,
    const std::function<void(std::string_view mark, uint64_t time, uint64_t records)>& add) {
  // a loop of XLA has the time of its own alone, and may own more where its operators overlap
  const uint64_t all = std::max(work.duration, work.owned);
  stacks.read(all);
  const bool marked = settings.exposed && work.work_class != WorkClass::computation;
  const uint64_t shown = settings.idle || marked ? work.owned : all;
  if (marked) stacks.part("exposed", shown);
  if (shown > 0 || all == 0) add(marked ? kExposed : "", shown, 1);
  if (shown == all) return;
  const uint64_t records = shown > 0 ? 0 : 1;
  if (settings.idle) return stacks.lose("ran beside other work", all - shown, records);
  stacks.part("hidden", all - shown);
  add(kHidden, all - shown, records);
}

void add_gaps(const DeviceGaps& device, const TimelineSettings& settings, const HostActivity& host,
              ImportedStacks& stacks) {
  Gaps gaps(device, host, stacks);
  for (const DeviceGap& gap : device.timeline.gaps)
    device.tells_idle ? gaps.add_gap(gap) : gaps.add_not_recorded(gap);
  if (!settings.outside) return;
  const auto [first, last] = host.extent(device.user.main);
  if (first >= last) return;
  gaps.add_outside(std::min(first, device.timeline.from), device.timeline.from, kBeforeTheFirst);
  gaps.add_outside(device.timeline.to, std::max(last, device.timeline.to), kAfterTheLast);
}

}  // namespace aiflame
