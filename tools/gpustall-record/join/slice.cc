// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/slice.h"

#include <algorithm>
#include <tuple>

namespace aiflame::record {
namespace {

// A launch's times are the platform's, converted between clocks: they may be off by a microsecond
// or two. Two launches of one queue lie further apart than this.
constexpr uint64_t kSlackNs = 3000;

auto group_key(const SampleGroup& group) {
  return std::make_tuple(group.launch, group.sample.pid, group.sample.device, group.sample.address,
                         group.sample.reason, group.sample.kernel);
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

void Slices::cut(uint64_t time) {
  bounds_.cut(time);
  const uint64_t now = index(time);
  const uint64_t kept = now > kMaxCuts ? now - kMaxCuts : 0;
  bounds_.forget(held_.empty() ? kept : std::min(kept, held_.begin()->first));
}

void Slices::sample(const TimedSample& sample) {
  held(sample.time).samples.push_back(sample);
  ++held_samples_;
}

void Slices::event(const SliceEvent& event) {
  Held& slice = held(event.time);
  // samples that only say in which read they came are told before what agents tell of that time
  const size_t position = bounds_.by_cuts() && event.before_samples ? 0 : slice.samples.size();
  const auto behind =
      std::find_if(slice.events.begin(), slice.events.end(),
                   [&](const Held::Placed& placed) { return placed.position > position; });
  slice.events.insert(behind, {position, event});
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
  // a number that is outstanding already: of a program that an exec replaced, or of a hostile one
  done(launch.pid, launch.instance, LaunchEnd::untimed, 0, launch.time);
  Process& process = processes_[launch.pid];
  process.gone = false;
  process.outstanding[launch.instance] =
      Outstanding{launch.number, launch.kernel, launch.queue, launch.time, launch.in_order};
  process.queues[launch.queue].insert(launch.instance);
}

void Slices::untimed(uint32_t number, uint64_t time, uint64_t launches, bool taken_back) {
  LaunchedCount& counted = held(time).launched[number];
  counted.measured = false;
  if (!taken_back) {
    counted.count += launches;
    launches_ += launches;
    return;
  }
  // what is written already stays: nothing can be taken out of it
  const uint64_t back = std::min(launches, counted.count);
  counted.count -= back;
  launches_ -= back;
  if (counted.count == 0) held(time).launched.erase(number);
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
  if (how == LaunchEnd::failed) return;  // what is written already stays
  if (how == LaunchEnd::untimed) {
    // it ran at some time between: whatever was sampled then may be its
    add_window(process, launch.kernel, launch.time, end, launch.number);
    if (launch.counted) return;
    count(launch.number, launch.time);
    held(launch.time).launched[launch.number].measured = false;
    return;
  }
  end = std::max(begin, end);
  LastDone& last = process.last_done[launch.queue];
  last.instance = std::max(last.instance, instance);
  last.end = std::max(last.end, end);
  add_window(process, launch.kernel, begin, end, launch.number);
  if (!launch.counted) count(launch.number, begin);
  // device time goes to the slices it was spent in; what is left of written ones to the next
  for (uint64_t from = begin; from < end;) {
    const uint64_t slice_end = bounds_.end(std::max(index(from), written_));
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
  found->second.gone = true;
}

void Slices::launches_lost(uint32_t pid, uint64_t from, uint64_t to) {
  auto& lossy = processes_[pid].lossy;
  const uint64_t first = std::max(index(from), written_), last = std::max(index(to), written_);
  if (!lossy.empty() && first <= lossy.back().second + 1)
    lossy.back().second = std::max(lossy.back().second, last);
  else
    lossy.emplace_back(first, last);
}

// A slice that is written though launches of before its end are outstanding: they may be what its
// samples are of, and a reader knows of no launch that it was not told.
void Slices::count_outstanding(uint64_t end, Held& into) {
  for (auto& [pid, process] : processes_) {
    for (auto& [instance, launch] : process.outstanding) {
      if (launch.counted || launch.time >= end) continue;
      launch.counted = true;
      ++launches_;
      LaunchedCount& counted = into.launched[launch.number];
      ++counted.count;
      counted.measured = false;
    }
  }
}

// Nothing that may have run before `end` is outstanding.
bool Slices::complete(uint64_t end) const {
  for (const auto& [pid, process] : processes_) {
    for (const auto& [queue, instances] : process.queues) {
      const Outstanding& oldest = process.outstanding.at(*instances.begin());
      if (oldest.time >= end) continue;
      const auto last = process.last_done.find(queue);
      // in order: it began after the end of the one before it. (One of before whose end is told
      // late, by another of the platform's threads, is still to be waited for.)
      if (oldest.in_order && last != process.last_done.end() && last->second.end >= end &&
          *instances.begin() > last->second.instance)
        continue;
      return false;
    }
  }
  return true;
}

// ---- windows -----------------------------------------------------------------------------------

void Slices::add_window(Process& process, uint32_t kernel, uint64_t begin, uint64_t end,
                        uint32_t number) {
  // nearly always at the end
  auto at = process.later.end();
  if (!process.later.empty() && begin < process.later.back().second.begin)
    at = std::upper_bound(process.later.begin(), process.later.end(), begin,
                          [](uint64_t t, const auto& later) { return t < later.second.begin; });
  process.later.insert(at, {kernel, Window{begin, end, number, end}});
  ++held_windows_;
}

// Moves what began before `slice_end` to where join() looks.
void Slices::open_windows(uint64_t slice_end) {
  for (auto& [pid, process] : processes_) {
    auto& later = process.later;
    while (!later.empty() && later.front().second.begin <= slice_end + kSlackNs) {
      const auto& [kernel, window] = later.front();
      std::vector<Window>& windows = process.windows[kernel];
      // nearly always at the end
      auto at = std::upper_bound(windows.begin(), windows.end(), window.begin,
                                 [](uint64_t t, const Window& w) { return t < w.begin; });
      at = windows.insert(at, window);
      for (; at != windows.end(); ++at)
        at->reach = std::max(at->end, at == windows.begin() ? 0 : std::prev(at)->reach);
      later.pop_front();
    }
  }
}

// Forgets what ended before the slice to be written next, and processes of which nothing is left.
void Slices::drop_windows() {
  bounds_.forget(written_);
  const uint64_t next_start = bounds_.start(written_);
  for (auto process = processes_.begin(); process != processes_.end();) {
    Process& p = process->second;
    std::erase_if(p.lossy, [&](const auto& range) { return range.second < written_; });
    std::erase_if(p.last_done, [&](const auto& last) {
      return last.second.end < next_start && !p.queues.contains(last.first);
    });
    for (auto at = p.windows.begin(); at != p.windows.end();) {
      std::vector<Window>& windows = at->second;
      held_windows_ -=
          std::erase_if(windows, [&](const Window& w) { return w.end + kSlackNs < next_start; });
      uint64_t reach = 0;
      for (Window& window : windows) window.reach = reach = std::max(reach, window.end);
      at = windows.empty() ? p.windows.erase(at) : std::next(at);
    }
    const bool is_over =
        p.gone && p.outstanding.empty() && p.windows.empty() && p.later.empty() && p.lossy.empty();
    process = is_over ? processes_.erase(process) : std::next(process);
  }
}

// The launch number of each sample: of the only one whose windows cover its time, else 0.
void Slices::join(uint64_t slice_index, const Held& from, bool is_complete,
                  std::vector<uint32_t>& launch_of) const {
  launch_of.assign(from.samples.size(), 0);
  if (bounds_.by_cuts()) {
    for (size_t i = 0; i < from.samples.size(); ++i) launch_of[i] = from.samples[i].launch;
    return;
  }
  for (size_t i = 0; i < from.samples.size(); ++i) {
    const TimedSample& sample = from.samples[i];
    const auto found = processes_.find(sample.pid);
    if (found == processes_.end()) continue;
    const Process& process = found->second;
    if (std::any_of(process.lossy.begin(), process.lossy.end(), [&](const auto& range) {
          return range.first <= slice_index && slice_index <= range.second;
        }))
      continue;
    uint32_t number = 0;
    bool several = false;
    const auto consider = [&](uint32_t candidate) {
      several = several || (number != 0 && number != candidate);
      number = candidate;
    };
    const auto of_kernel = process.windows.find(sample.kernel);
    if (of_kernel != process.windows.end()) {
      const std::vector<Window>& windows = of_kernel->second;
      auto at =
          std::upper_bound(windows.begin(), windows.end(), sample.time + kSlackNs,
                           [](uint64_t time, const Window& window) { return time < window.begin; });
      // back through those that began before it, until none of the rest reaches it
      while (!several && at != windows.begin() && std::prev(at)->reach + kSlackNs >= sample.time) {
        --at;
        if (sample.time <= at->end + kSlackNs) consider(at->number);
      }
    }
    // only when slices are written before they are complete
    for (auto queue = process.queues.begin(); !is_complete && queue != process.queues.end();
         ++queue) {
      const auto last = process.last_done.find(queue->first);
      for (const uint64_t instance : queue->second) {
        const Outstanding& launch = process.outstanding.at(instance);
        const bool began_later = launch.in_order && last != process.last_done.end() &&
                                 instance > last->second.instance &&
                                 last->second.end > sample.time + kSlackNs;
        if (launch.kernel == sample.kernel && launch.time <= sample.time && !began_later)
          consider(launch.number);
        if (launch.in_order) break;  // those behind it have not begun
      }
    }
    if (!several) launch_of[i] = number;
  }
}

bool Slices::next(uint64_t settled, bool all, Slice& out) {
  if (held_.empty()) return false;
  const auto first = held_.begin();
  const uint64_t start = bounds_.start(first->first);
  uint64_t end = bounds_.end(first->first);
  if (!all && end > settled) return false;
  if (end == UINT64_MAX) end = std::max(start, settled);
  const bool is_complete = complete(end);
  const bool full = held_samples_ + held_windows_ > kMaxHeld;
  if (!all && !full && !is_complete) return false;

  Held& from = first->second;
  if (bounds_.by_cuts() && !is_complete) count_outstanding(end, from);
  std::vector<uint32_t> launch_of;
  open_windows(end);
  join(first->first, from, is_complete, launch_of);
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

  drop_windows();
  return true;
}

}  // namespace aiflame::record
