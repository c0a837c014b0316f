// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/slice.h"

#include <algorithm>
#include <tuple>

namespace aiflame {
namespace {

// A launch's times are the platform's, converted between clocks: they may be off by a microsecond
// or two. Two launches of one queue lie further apart than this.
constexpr uint64_t kSlackNs = 3000;

auto group_key(const SampleGroup& group) {
  return std::make_tuple(group.launch, group.sample.pid, group.sample.device, group.sample.address,
                         group.sample.reason);
}

// Samples [first, last), with their launches, as sorted groups.
std::vector<SampleGroup> make_groups(const std::vector<TimedSample>& samples,
                                     const std::vector<uint32_t>& launch_of, size_t first,
                                     size_t last) {
  std::vector<SampleGroup> groups;
  groups.reserve(last - first);
  for (size_t i = first; i < last; ++i) groups.push_back(SampleGroup{launch_of[i], samples[i]});
  std::stable_sort(groups.begin(), groups.end(), [](const SampleGroup& a, const SampleGroup& b) {
    return group_key(a) < group_key(b);
  });
  size_t kept = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (kept > 0 && group_key(groups[kept - 1]) == group_key(groups[i]))
      groups[kept - 1].sample.count += groups[i].sample.count;
    else
      groups[kept++] = groups[i];
  }
  groups.resize(kept);
  return groups;
}

}  // namespace

Slices::Held& Slices::held(uint64_t time) {
  return held_[std::max(index(time), written_)];
}

void Slices::sample(const TimedSample& sample) {
  held(sample.time).samples.push_back(sample);
  ++held_samples_;
}

void Slices::event(const SliceEvent& event) {
  Held& slice = held(event.time);
  slice.events.push_back({slice.samples.size(), event});
}

void Slices::count(uint32_t number, uint64_t time) {
  ++launches_;
  ++held(time).launched[number].count;
}

void Slices::started(const Started& launch) {
  if (!launch.timed) {
    count(launch.number, launch.time);
    held(launch.time).launched[launch.number].measured = false;
    return;
  }
  Process& process = processes_[launch.pid];
  process.outstanding[launch.instance] =
      Outstanding{launch.number, launch.kernel, launch.queue, launch.time, launch.in_order};
  process.queues[launch.queue].insert(launch.instance);
}

void Slices::close(Process& process, uint64_t instance) {
  const auto at = process.outstanding.find(instance);
  const auto queue = process.queues.find(at->second.queue);
  queue->second.erase(instance);
  if (queue->second.empty()) process.queues.erase(queue);
  process.outstanding.erase(at);
}

void Slices::done(uint32_t pid, uint64_t instance, LaunchEnd how, uint64_t begin, uint64_t end) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  Process& process = found->second;
  const auto at = process.outstanding.find(instance);
  if (at == process.outstanding.end()) return;
  const Outstanding launch = at->second;
  close(process, instance);
  if (how == LaunchEnd::failed) return;
  if (how == LaunchEnd::untimed) {
    // it ran at some time between: whatever was sampled then may be its
    process.windows[launch.kernel].push_back(Window{launch.time, end, launch.number});
    count(launch.number, launch.time);
    held(launch.time).launched[launch.number].measured = false;
    return;
  }
  end = std::max(begin, end);
  uint64_t& last_end = process.last_end[launch.queue];
  last_end = std::max(last_end, end);
  process.windows[launch.kernel].push_back(Window{begin, end, launch.number});
  count(launch.number, begin);
  // device time goes to the slices it was spent in; what is left of written ones to the next
  for (uint64_t from = begin; from < end;) {
    const uint64_t slice_end =
        std::max(origin_ + (index(from) + 1) * interval_, origin_ + (written_ + 1) * interval_);
    const uint64_t to = std::min(end, slice_end);
    held(from).launched[launch.number].busy_ns += to - from;
    from = to;
  }
}

void Slices::process_gone(uint32_t pid, uint64_t time) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  while (!found->second.outstanding.empty())
    done(pid, found->second.outstanding.begin()->first, LaunchEnd::untimed, 0, time);
}

void Slices::launches_lost(uint32_t pid, uint64_t time) {
  processes_[pid].lossy.insert(std::max(index(time), written_));
}

// Nothing that may have run before `end` is outstanding.
bool Slices::complete(uint64_t end) const {
  for (const auto& [pid, process] : processes_) {
    for (const auto& [queue, instances] : process.queues) {
      const Outstanding& oldest = process.outstanding.at(*instances.begin());
      if (oldest.time >= end) continue;
      const auto last = process.last_end.find(queue);
      // in order: it began after the end of the one before it
      if (oldest.in_order && last != process.last_end.end() && last->second >= end) continue;
      return false;
    }
  }
  return true;
}

// The launch number of each sample: of the only one whose windows cover its time, else 0.
void Slices::join(uint64_t slice_index, Held& from, std::vector<uint32_t>& launch_of) const {
  launch_of.assign(from.samples.size(), 0);
  for (size_t i = 0; i < from.samples.size(); ++i) {
    const TimedSample& sample = from.samples[i];
    const auto process = processes_.find(sample.pid);
    if (process == processes_.end() || process->second.lossy.contains(slice_index)) continue;
    uint32_t number = 0;
    bool several = false;
    const auto consider = [&](uint32_t candidate) {
      several = several || (number != 0 && number != candidate);
      number = candidate;
    };
    const auto windows = process->second.windows.find(sample.kernel);
    if (windows != process->second.windows.end())
      for (const Window& window : windows->second)
        if (window.begin <= sample.time + kSlackNs && sample.time <= window.end + kSlackNs)
          consider(window.number);
    // only when slices are written before they are complete
    for (const auto& [instance, launch] : process->second.outstanding) {
      if (launch.kernel != sample.kernel || launch.time > sample.time) continue;
      const auto last = process->second.last_end.find(launch.queue);
      if (launch.in_order && last != process->second.last_end.end() &&
          last->second > sample.time + kSlackNs)
        continue;
      consider(launch.number);
    }
    if (!several) launch_of[i] = number;
  }
}

bool Slices::next(uint64_t settled, bool all, Slice& out) {
  if (held_.empty()) return false;
  const auto first = held_.begin();
  const uint64_t start = origin_ + first->first * interval_;
  const uint64_t end = start + interval_;
  const bool full = held_samples_ > kMaxHeld;
  if (!all && (end > settled || (!full && !complete(end)))) return false;

  Held& from = first->second;
  std::vector<uint32_t> launch_of;
  join(first->first, from, launch_of);
  out = Slice();
  out.start = start;
  out.end = end;
  out.launched = std::move(from.launched);
  Slice::Part part;
  size_t position = 0;
  for (Held::Placed& placed : from.events) {
    if (placed.position > position) {
      part.groups = make_groups(from.samples, launch_of, position, placed.position);
      out.parts.push_back(std::move(part));
      part = Slice::Part();
      position = placed.position;
    }
    part.events.push_back(std::move(placed.event));
  }
  part.groups = make_groups(from.samples, launch_of, position, from.samples.size());
  out.parts.push_back(std::move(part));
  held_samples_ -= from.samples.size();
  written_ = first->first + 1;
  held_.erase(first);

  // windows that end before the next slice are done with
  const uint64_t next_start = origin_ + written_ * interval_;
  for (auto& [pid, process] : processes_) {
    std::erase_if(process.lossy, [&](uint64_t index) { return index < written_; });
    for (auto& [kernel, windows] : process.windows)
      std::erase_if(windows, [&](const Window& w) { return w.end + kSlackNs < next_start; });
  }
  return true;
}

}  // namespace aiflame
