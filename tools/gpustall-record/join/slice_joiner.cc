// SPDX-License-Identifier: MIT
// How a sample finds its launch.
//
// A sample says: at time t, an instruction of kernel K in process P was stalled. The picture must
// show which CPU code launched K. But the cheap samplers of GPUs give an address and a time, and no
// launch. A launch, in turn, is reported by an agent on the CPU: a stack, a kernel, and the time of
// the call. The device runs it later, and when it has ended, the agent learns its run: the interval
// [begin, end] in which the device worked on it. So:
//
//   The sample belongs to the launch of K by P whose run covers t.
//
// When the runs of several distinct launches cover t (two queues, or a device that overlaps
// kernels), nobody knows which one it was. Then the sample keeps launch 0, unattributed, and
// stackcollapse-aiflame apportions it later among the launches of the slice. We never guess here.
//
// Waiting. At time t the run that covers t has not ended yet, so it cannot be known. Time is
// therefore cut into slices (10 ms by default). A slice is held back until it is complete: until
// every launch that may have been running before its end has reported its run. From then on the
// join is exact. An outstanding launch is not waited for when it was made after the slice, nor when
// an earlier launch of the same in-order queue ended after the slice:
//
//   queue, in order   |--A1--|--A2--|----B1----|--A3 (has not ended)
//   slices            0     1     2     3     4     5
//                                                 ^ complete up to here: A3 began after B1's end
//
// Ends may be reported out of order, by different threads of the platform. So an older instance of
// the queue than the last one that ended is always waited for. An out-of-order queue has no such
// rule: each of its launches is waited for.
//
// What is joined. Runs are kept by process and kernel, sorted by begin (ProcessLaunches). A sample
// looks at the runs that began before t, from the latest backwards. Each run has a `reach`, the
// latest end of it and all runs before it. When the reach is below t, no earlier run can cover t,
// and the search ends. The times of a run were converted between clocks, so 3 us of slack are
// allowed on both sides.
//
// What is counted. Each slice lists its launches, with their number and the time that the device
// was busy with them. A launch is counted once, in the slice in which its run began. Its busy time
// is divided among the slices that its run crosses. A launch whose times nobody knows is counted
// when it was made, and its busy time is marked as not measured: it may have run at any time from
// the call to its end.
//
// Late reports. A slice that has been written cannot be changed. What is reported for it later goes
// to the next slice, so that no launch, no sample and no nanosecond is lost. Two things make a
// slice be written before it is complete: the end of the recording, and kMaxHeld, which bounds the
// memory when a kernel does not end. Then find_launch() also considers the outstanding launches
// that may have been running.
//
// Lost reports. When a ring was full, some launches are missing. In the slices that this concerns a
// sample could belong to a launch that was never reported, so all samples of that process stay
// unattributed there.
//
// Sources without times. Some hardware only reports which samples came between two reads. Then each
// read is a slice (SliceBounds), and no sample is joined by time. It has a launch only if the
// source knows it. Such a slice still waits for its launches, as stackcollapse-aiflame needs their
// busy time. If it is written early, its outstanding launches are counted in it: they may be what
// its samples belong to, and a reader only knows launches that the slice lists.
#include "tools/gpustall-record/join/slice_joiner.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace aiflame::record {
namespace {

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

// Late reports for a slice that has been written go to the next one.
SliceJoiner::Held& SliceJoiner::held_at(uint64_t time) {
  return held_[std::max(index(time), written_)];
}

void SliceJoiner::cut(uint64_t time) {
  bounds_.cut(time);
  const uint64_t now = index(time);
  const uint64_t kept = now > kMaxCuts ? now - kMaxCuts : 0;
  bounds_.forget(held_.empty() ? kept : std::min(kept, held_.begin()->first));
}

// ---- samples and events ------------------------------------------------------------------------

void SliceJoiner::add_sample(const TimedSample& sample) {
  held_at(sample.time).samples.push_back(sample);
  ++held_samples_;
}

void SliceJoiner::add_event(const SliceEvent& event) {
  Held& slice = held_at(event.time);
  // a read's samples are added before the agents' events of the time that the read covers
  const size_t position = bounds_.are_cut() && event.before_samples ? 0 : slice.samples.size();
  const auto next =
      std::find_if(slice.events.begin(), slice.events.end(),
                   [&](const Held::Placed& placed) { return placed.position > position; });
  slice.events.insert(next, {position, event});
}

void SliceJoiner::add_lost_samples(uint64_t time, uint32_t pid, uint32_t device, uint64_t count) {
  SliceEvent event;
  event.kind = SliceEvent::Kind::lost_samples;
  event.time = time;
  event.pid = pid;
  event.device = device;
  event.count = count;
  add_event(event);
}

// ---- launches ----------------------------------------------------------------------------------

void SliceJoiner::count_launch(uint32_t number, uint64_t time) {
  ++launches_;
  ++held_at(time).launched[number].count;
}

void SliceJoiner::start_launch(const Started& launch) {
  if (!launch.timed) {
    count_launch(launch.number, launch.time);
    held_at(launch.time).launched[launch.number].measured = false;
    return;
  }
  // An instance that is outstanding already: an exec replaced its program, or the process lies.
  end_launch(launch.pid, launch.instance, LaunchEnd::untimed, 0, launch.time);
  processes_[launch.pid].start(launch.instance, {launch.number, launch.kernel, launch.queue,
                                                 launch.time, launch.in_order, false});
}

void SliceJoiner::add_untimed(uint32_t number, uint64_t time, uint64_t launches) {
  LaunchedCount& counted = held_at(time).launched[number];
  counted.measured = false;
  counted.count += launches;
  launches_ += launches;
}

void SliceJoiner::retract_untimed(uint32_t number, uint64_t time, uint64_t launches) {
  LaunchedCount& counted = held_at(time).launched[number];
  counted.measured = false;
  const uint64_t retracted = std::min(launches, counted.count);
  counted.count -= retracted;
  launches_ -= retracted;
  if (counted.count == 0) held_at(time).launched.erase(number);
}

void SliceJoiner::add_run(ProcessLaunches& process, const ProcessLaunches::Launch& launch,
                          uint64_t begin, uint64_t end) {
  process.add_run(launch.kernel, begin, end, launch.number);
  ++held_runs_;
}

void SliceJoiner::end_launch(uint32_t pid, uint64_t instance, LaunchEnd how, uint64_t begin,
                             uint64_t end) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  ProcessLaunches& process = found->second;
  const auto launch = process.take(instance);
  if (!launch || how == LaunchEnd::failed) return;  // a launch counted in a written slice stays
  if (how == LaunchEnd::untimed) {
    // it ran at some time between the call and now, so any sample in between may belong to it
    add_run(process, *launch, launch->time, end);
    if (launch->counted) return;
    count_launch(launch->number, launch->time);
    held_at(launch->time).launched[launch->number].measured = false;
    return;
  }
  end = std::max(begin, end);
  process.set_last_done(launch->queue, instance, end);
  add_run(process, *launch, begin, end);
  if (!launch->counted) count_launch(launch->number, begin);
  // Device time goes to the slices in which it was spent; the share of written slices goes to the
  // next one.
  for (uint64_t from = begin; from < end;) {
    const uint64_t slice_end = bounds_.end(std::max(index(from), written_));
    const uint64_t to = std::min(end, slice_end);
    held_at(from).launched[launch->number].busy_ns += to - from;
    from = to;
  }
}

void SliceJoiner::end_process(uint32_t pid, uint64_t time) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  while (const auto instance = found->second.first_outstanding())
    end_launch(pid, *instance, LaunchEnd::untimed, 0, time);
  found->second.set_gone(true);
}

void SliceJoiner::mark_lost_launches(uint32_t pid, uint64_t from, uint64_t to) {
  processes_[pid].mark_lossy(std::max(index(from), written_), std::max(index(to), written_));
}

// ---- taking slices -----------------------------------------------------------------------------

bool SliceJoiner::is_complete(uint64_t end) const {
  return std::none_of(processes_.begin(), processes_.end(), [end](const auto& process) {
    return process.second.may_have_run_before(end);
  });
}

void SliceJoiner::count_outstanding(uint64_t end, Held& into) {
  for (auto& [pid, process] : processes_) {
    for (const uint32_t number : process.count_outstanding(end)) {
      ++launches_;
      LaunchedCount& counted = into.launched[number];
      ++counted.count;
      counted.measured = false;
    }
  }
}

// The launch number of each sample; 0 = unattributed.
std::vector<uint32_t> SliceJoiner::find_launches(uint64_t slice_index, const Held& from,
                                                 bool is_complete) const {
  std::vector<uint32_t> launch_of(from.samples.size(), 0);
  for (size_t i = 0; i < from.samples.size(); ++i) {
    const TimedSample& sample = from.samples[i];
    if (bounds_.are_cut()) {
      launch_of[i] = sample.launch;
      continue;
    }
    const auto process = processes_.find(sample.pid);
    if (process == processes_.end() || process->second.is_lossy(slice_index)) continue;
    launch_of[i] = process->second.find_launch(sample, is_complete);
  }
  return launch_of;
}

// Forgets what only the slices that have been taken needed, and processes of which nothing is left.
void SliceJoiner::forget_written() {
  bounds_.forget(written_);
  const uint64_t next_start = bounds_.start(written_);
  for (auto process = processes_.begin(); process != processes_.end();) {
    held_runs_ -= process->second.forget_before(written_, next_start);
    process = process->second.is_over() ? processes_.erase(process) : std::next(process);
  }
}

bool SliceJoiner::take_next(uint64_t settled, bool all, Slice& out) {
  if (held_.empty()) return false;
  const auto first = held_.begin();
  const uint64_t start = bounds_.start(first->first);
  uint64_t end = bounds_.end(first->first);
  if (!all && end > settled) return false;
  if (end == UINT64_MAX) end = std::max(start, settled);
  const bool complete = is_complete(end);
  const bool is_full = held_samples_ + held_runs_ > kMaxHeld;
  if (!all && !is_full && !complete) return false;

  Held& from = first->second;
  if (bounds_.are_cut() && !complete) count_outstanding(end, from);
  for (auto& [pid, process] : processes_) process.open_runs(end);
  const std::vector<uint32_t> launch_of = find_launches(first->first, from, complete);
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

  forget_written();
  return true;
}

}  // namespace aiflame::record
