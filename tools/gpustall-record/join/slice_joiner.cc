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
// to the next slice, so that no launch, no sample and no nanosecond is lost. Three things make a
// slice be written before it is complete: the end of the recording, a snapshot of it, which has to
// show what runs now, and memory, when a kernel does not end and half of the budget for slices is
// used. Then find_launch() also considers the outstanding launches that may have been running.
//
// Over budget. What is held counts for the process that it belongs to (budget/budgets.cc). A sample
// or a launch for which its process has no room is lost, with a count. An outstanding launch
// without room is counted like one whose times nobody knows, and the samples of its process stay
// unattributed in its slice.
//
// Lost reports. When a ring was full, some launches are missing. In the slices that this concerns a
// sample could belong to a launch that was never reported, so all samples of that process stay
// unattributed there.
//
// What the devices did. Runs also go to DeviceTimes, which follows the slices as they are taken: it
// finds out what part of a run others covered, and why a device was idle between two runs.
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

#include "tools/gpustall-record/join/capture_totals.h"

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
      groups[kept - 1].add(groups[i]);
    else
      groups[kept++] = groups[i];
  }
  groups.resize(kept);
  return groups;
}

}  // namespace

// Late reports for a slice that has been written go to the next one. Null when the slice is new and
// the process has no room for it.
SliceJoiner::Held* SliceJoiner::held_at(uint64_t time, uint32_t pid, bool force) {
  const uint64_t at = std::max(index(time), written_);
  const auto known = held_.find(at);
  if (known != held_.end()) return &known->second;
  const bool has_room = force ? budgets_.has_room(Kept::slices, pid, kSliceBytes)
                              : budgets_.take(Kept::slices, pid, kSliceBytes);
  if (!has_room && !force) return nullptr;
  Held& slice = held_[at];
  slice.pid = pid;
  slice.bytes = has_room ? kSliceBytes : 0;
  if (force) budgets_.add(Kept::slices, pid, slice.bytes);
  return &slice;
}

void SliceJoiner::cut(uint64_t time) {
  bounds_.cut(time);
  const uint64_t now = index(time);
  const uint64_t kept = now > kMaxCuts ? now - kMaxCuts : 0;
  bounds_.forget(held_.empty() ? kept : std::min(kept, held_.begin()->first));
}

// ---- samples and events ------------------------------------------------------------------------

void SliceJoiner::add_sample(const TimedSample& sample) {
  Held* slice = held_at(sample.time, sample.pid, false);
  if (slice == nullptr || !budgets_.take(Kept::slices, sample.pid, kSampleBytes)) {
    lose_sample(sample);
    return;
  }
  ledger_.take(Counted::samples, sample.count);
  slice->samples.push_back(sample);
}

void SliceJoiner::lose_sample(const TimedSample& sample) {
  ledger_.take(Counted::samples, sample.count);
  ledger_.lose({Counted::samples, sample.pid, sample.device}, sample.count, LossCause::no_room);
}

// `bytes`: what to take of the process's budget for it.
bool SliceJoiner::place(const SliceEvent& event, uint64_t bytes, bool force) {
  const bool has_room = budgets_.has_room(Kept::slices, event.pid, kSliceBytes + bytes);
  if (!has_room && !force) return false;
  if (!has_room) bytes = 0;
  budgets_.add(Kept::slices, event.pid, bytes);
  Held& slice = *held_at(event.time, event.pid, true);
  // a read's samples are added before the agents' events of the time that the read covers
  const size_t position = bounds_.are_cut() && event.before_samples ? 0 : slice.samples.size();
  const auto next =
      std::upper_bound(slice.events.begin(), slice.events.end(), position,
                       [](size_t at, const Held::Placed& placed) { return at < placed.position; });
  slice.events.insert(next, {position, event, bytes});
  return true;
}

// The object that is loaded or unloaded is in the budget with both of its events.
void SliceJoiner::add_event(const SliceEvent& event) {
  (void)place(event, 0, true);  // forced, so it cannot fail
}

void SliceJoiner::add_lost_samples(uint64_t time, uint32_t pid, uint32_t device, uint64_t count) {
  const SampleLedger::Key key{Counted::samples, pid, device};
  if (count != UINT64_MAX) ledger_.take(Counted::samples, count);
  if (place_loss(key, time, count, false))
    ledger_.book_cause(Counted::samples, count, LossCause::reported);
  else
    ledger_.lose(key, count, LossCause::reported);
}

void SliceJoiner::lose_launches(uint32_t pid, uint64_t count, LossCause cause) {
  ledger_.take(Counted::launches, count);
  ledger_.lose({Counted::launches, pid, 0}, count, cause);
}

void SliceJoiner::lose_memory(uint32_t pid, uint64_t count, LossCause cause) {
  if (count != UINT64_MAX) ledger_.take(Counted::memory, count);
  ledger_.lose({Counted::memory, pid, 0}, count, cause);
}

void SliceJoiner::add_memory(const MemoryChange& change) {
  const bool is_end = change.kind == MemoryChange::Kind::released;
  Held* slice = held_at(change.time, change.pid, is_end);
  if (!is_end) {
    if (slice == nullptr || !budgets_.take(Kept::slices, change.pid, kMemoryBytes))
      return lose_memory(change.pid, 1, LossCause::no_room);
    ledger_.take(Counted::memory, 1);
  }
  slice->memory.push_back(change);
}

bool SliceJoiner::place_loss(const SampleLedger::Key& key, uint64_t time, uint64_t count,
                             bool force) {
  SliceEvent event;
  event.kind = key.what == Counted::samples    ? SliceEvent::Kind::lost_samples
               : key.what == Counted::launches ? SliceEvent::Kind::lost_launches
                                               : SliceEvent::Kind::lost_memory;
  event.time = time;
  event.pid = key.pid;
  event.device = key.device;
  event.count = count;
  return place(event, kEventBytes, force);
}

void SliceJoiner::place_losses(uint64_t time, uint64_t from, uint64_t to, bool force) {
  ledger_.place_losses([&](const SampleLedger::Key& key, uint64_t count) {
    if (key.what == Counted::launches && key.pid != 0) mark_lost_launches(key.pid, from, to);
    // of any process
    if (key.what == Counted::launches && key.pid == 0)
      for (auto& [pid, process] : processes_) mark_lost_launches(pid, from, to);
    return place_loss(key, time, count, force);
  });
}

// ---- launches ----------------------------------------------------------------------------------

// The entry of a kind of launch in the slice at `time`; null when its process has no room for it.
LaunchedCount* SliceJoiner::launched_at(uint64_t time, uint32_t pid, LaunchKind kind) {
  Held* slice = held_at(time, pid, false);
  if (slice == nullptr) return nullptr;
  const auto known = slice->launched.find(kind);
  if (known != slice->launched.end()) return &known->second;
  if (!budgets_.take(Kept::slices, pid, kLaunchedBytes)) return nullptr;
  LaunchedCount& counted = slice->launched[kind];
  counted.pid = pid;
  return &counted;
}

// Null when the launches are lost. They have been taken.
LaunchedCount* SliceJoiner::count_launches(uint32_t pid, LaunchKind kind, uint64_t time,
                                           uint64_t launches) {
  LaunchedCount* counted = launched_at(time, pid, kind);
  if (counted != nullptr)
    add_saturating(counted->count, launches);
  else
    ledger_.lose({Counted::launches, pid, 0}, launches, LossCause::no_room);
  return counted;
}

void SliceJoiner::start_launch(const Started& launch) {
  ledger_.take(Counted::launches, 1);
  if (!launch.timed) {
    count_untimed(launch.pid, launch.kind, launch.time, 1);
    return;
  }
  // An instance that is outstanding already: an exec replaced its program, or the process lies.
  end_launch(launch.pid, launch.instance, LaunchEnd::untimed, 0, launch.time);
  if (!budgets_.take(Kept::open_launches, launch.pid, kOpenBytes)) {
    count_untimed(launch.pid, launch.kind, launch.time, 1);
    mark_lost_launches(launch.pid, launch.time, launch.time);
    return;
  }
  processes_[launch.pid].start(
      launch.instance, {launch.kind, launch.kernel, launch.queue, launch.time, launch.in_order,
                        false, launch.tid, launch.device, launch.work_class, launch.phase});
}

void SliceJoiner::add_untimed(uint32_t pid, LaunchKind kind, uint64_t time, uint64_t launches) {
  ledger_.take(Counted::launches, launches);
  count_untimed(pid, kind, time, launches);
}

void SliceJoiner::count_untimed(uint32_t pid, LaunchKind kind, uint64_t time, uint64_t launches) {
  if (LaunchedCount* counted = count_launches(pid, kind, time, launches); counted != nullptr)
    counted->measured = false;
}

void SliceJoiner::retract_untimed(LaunchKind kind, uint64_t time, uint64_t launches) {
  const auto slice = held_.find(std::max(index(time), written_));
  if (slice == held_.end()) return;
  const auto known = slice->second.launched.find(kind);
  if (known == slice->second.launched.end()) return;
  LaunchedCount& counted = known->second;
  counted.measured = false;
  const uint64_t retracted = std::min(launches, counted.count);
  counted.count -= retracted;
  ledger_.withdraw(retracted);
  if (counted.count > 0) return;
  if (counted.pid != 0) budgets_.give_back(Kept::slices, counted.pid, kLaunchedBytes);
  slice->second.launched.erase(known);
}

bool SliceJoiner::add_run(uint32_t pid, ProcessLaunches& process,
                          const ProcessLaunches::Launch& launch, uint64_t begin, uint64_t end) {
  if (!budgets_.take(Kept::runs, pid, kRunBytes)) {
    mark_lost_launches(pid, begin, end);
    return false;
  }
  process.add_run(launch.kernel, begin, end, launch.kind.number);
  return true;
}

// Device time goes to the slices in which it was spent; the share of written slices goes to the
// next one.
void SliceJoiner::add_busy(uint32_t pid, LaunchKind kind, uint64_t begin, uint64_t end) {
  for (uint64_t from = begin; from < end;) {
    const uint64_t slice_end = bounds_.end(std::max(index(from), written_));
    const uint64_t to = std::min(end, slice_end);
    if (!budgets_.has_room(Kept::slices, pid, kSliceBytes + kLaunchedBytes)) {
      budgets_.drop(Kept::runs, pid);
      return;
    }
    if (LaunchedCount* counted = launched_at(from, pid, kind); counted != nullptr)
      add_saturating(counted->busy_ns, to - from);
    from = to;
  }
}

// When the run lies in the device's time is not known, so the device cannot be said to have been
// idle then.
void SliceJoiner::add_unplaced(uint32_t pid, const ProcessLaunches::Launch& launch, uint64_t begin,
                               uint64_t end) {
  Held* slice = held_at(begin, pid, false);
  if (slice == nullptr) return;
  IdleTime& time = slice->unplaced[{launch.device, launch.kind.number}];
  add_saturating(time.count, 1);
  add_saturating(time.ns, end - begin);
}

void SliceJoiner::add_device_run(uint32_t pid, const ProcessLaunches::Launch& launch,
                                 uint64_t begin, uint64_t end, uint64_t returned) {
  if (!budgets_.take(Kept::runs, pid, DeviceTimes::kRunBytes))
    return add_unplaced(pid, launch, begin, end);
  // a call that has not returned has its thread until the device begins, at least
  DeviceRun run{begin, end,        launch.time,        launch.time,
                pid,   launch.tid, launch.kind.number, launch.work_class};
  if (returned == UINT64_MAX)
    run.returned = std::max(begin, launch.time);
  else if (returned > launch.time)
    run.returned = returned;
  device_times_.add_call(pid, launch.tid,
                         {run.called, run.returned, launch.kind.number, launch.phase});
  device_times_.add_run(launch.device, run);
}

bool SliceJoiner::add_call(uint32_t pid, uint32_t tid, const HostCalls::Call& call,
                           bool has_waited) {
  device_times_.add_call(pid, tid, call);
  if (!has_waited) return true;
  Held* slice = held_at(call.end, pid, false);
  if (slice == nullptr) return false;
  const bool is_known = slice->waited.contains(call.number);
  if (!is_known && !budgets_.take(Kept::slices, pid, kLaunchedBytes)) return false;
  WaitedTime& waited = slice->waited[call.number];
  if (!is_known) waited.pid = pid;
  add_saturating(waited.count, 1);
  add_saturating(waited.ns, call.end - call.begin);
  return true;
}

void SliceJoiner::end_launch(uint32_t pid, uint64_t instance, LaunchEnd how, uint64_t begin,
                             uint64_t end, uint64_t returned, uint32_t number) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  ProcessLaunches& process = found->second;
  auto launch = process.take(instance);
  if (!launch) return;
  if (number != 0 && !launch->counted) launch->kind.number = number;
  budgets_.give_back(Kept::open_launches, pid, kOpenBytes);
  if (how == LaunchEnd::failed) {
    if (!launch->counted) ledger_.withdraw(1);  // one counted in a written slice stays
    return;
  }
  if (how == LaunchEnd::untimed) {
    // it ran at some time between the call and now, so any sample in between may belong to it
    // without room the samples in between stay unattributed
    (void)add_run(pid, process, *launch, launch->time, end);
    if (!launch->counted) count_untimed(pid, launch->kind, launch->time, 1);
    return;
  }
  end = std::max(begin, end);
  if (!add_run(pid, process, *launch, begin, end)) {
    if (!launch->counted) count_untimed(pid, launch->kind, begin, 1);
    return;
  }
  process.set_last_done(launch->queue, instance, end);
  if (!launch->counted && count_launches(pid, launch->kind, begin, 1) == nullptr) return;
  add_busy(pid, launch->kind, begin, end);
  if (how == LaunchEnd::timed)
    add_device_run(pid, *launch, begin, end, returned);
  else
    add_unplaced(pid, *launch, begin, end);
}

void SliceJoiner::end_process(uint32_t pid, uint64_t time) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  while (const auto instance = found->second.first_outstanding())
    end_launch(pid, *instance, LaunchEnd::untimed, 0, time);
  found->second.set_gone(true);
}

void SliceJoiner::end_recording(uint64_t now) {
  ends_ = now;
  // for the time after the last run of each device
  if (held_.empty() && device_times_.has_runs()) (void)held_at(now, 0, true);
  for (auto& [pid, process] : processes_)
    for (const auto& [kind, time] : process.count_unfinished()) count_untimed(pid, kind, time, 1);
}

SampleLedger::Holding SliceJoiner::holding() const {
  SampleLedger::Holding out;
  for (const auto& [number, slice] : held_) {
    for (const TimedSample& sample : slice.samples) add_saturating(out.samples, sample.count);
    for (const auto& [kind, launched] : slice.launched)
      add_saturating(out.launches, launched.count);
    for (const Held::Placed& placed : slice.events) {
      if (placed.event.kind == SliceEvent::Kind::lost_samples && placed.event.count != UINT64_MAX)
        add_saturating(out.samples, placed.event.count);
      if (placed.event.kind == SliceEvent::Kind::lost_launches)
        add_saturating(out.launches, placed.event.count);
      if (placed.event.kind == SliceEvent::Kind::lost_memory && placed.event.count != UINT64_MAX)
        add_saturating(out.memory, placed.event.count);
    }
    for (const MemoryChange& change : slice.memory)
      if (change.kind != MemoryChange::Kind::released) add_saturating(out.memory, 1);
  }
  for (const auto& [pid, process] : processes_) add_saturating(out.launches, process.uncounted());
  return out;
}

void SliceJoiner::mark_lost_launches(uint32_t pid, uint64_t from, uint64_t to) {
  const auto [process, added] = processes_.try_emplace(pid);
  if (added) process->second.set_gone(true);  // nothing is outstanding, so it may be forgotten
  process->second.mark_lossy(std::max(index(from), written_), std::max(index(to), written_));
}

// ---- taking slices -----------------------------------------------------------------------------

bool SliceJoiner::is_complete(uint64_t end) const {
  return std::none_of(processes_.begin(), processes_.end(), [end](const auto& process) {
    return process.second.may_have_run_before(end);
  });
}

void SliceJoiner::count_outstanding(uint64_t end, Held& into) {
  for (auto& [pid, process] : processes_) {
    for (const LaunchKind& kind : process.count_outstanding(end)) {
      LaunchedCount& counted = into.launched[kind];
      add_saturating(counted.count, 1);
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
    const size_t runs = process->second.forget_before(written_, next_start);
    budgets_.give_back(Kept::runs, process->first, runs * kRunBytes);
    process = process->second.is_over() ? processes_.erase(process) : std::next(process);
  }
}

bool SliceJoiner::is_full() const {
  return budgets_.used(Kept::slices) > Budgets::total(Kept::slices) / 2 ||
         budgets_.used(Kept::runs) > Budgets::total(Kept::runs) / 2 ||
         budgets_.is_passing_half_full();
}

void SliceJoiner::give_back(const Held& slice) {
  budgets_.give_back(Kept::slices, slice.pid, slice.bytes);
  for (const TimedSample& sample : slice.samples)
    budgets_.give_back(Kept::slices, sample.pid, kSampleBytes);
  for (const Held::Placed& placed : slice.events)
    budgets_.give_back(Kept::slices, placed.event.pid, placed.bytes);
  for (const auto& [kind, launched] : slice.launched)
    if (launched.pid != 0) budgets_.give_back(Kept::slices, launched.pid, kLaunchedBytes);
  for (const auto& [number, waited] : slice.waited)
    budgets_.give_back(Kept::slices, waited.pid, kLaunchedBytes);
  for (const MemoryChange& change : slice.memory)
    if (change.kind != MemoryChange::Kind::released)
      budgets_.give_back(Kept::slices, change.pid, kMemoryBytes);
}

bool SliceJoiner::take_next(uint64_t settled, bool all, Slice& out) {
  if (held_.empty()) return false;
  const auto first = held_.begin();
  const uint64_t start = bounds_.start(first->first);
  uint64_t end = bounds_.end(first->first);
  if (!all && end > settled) return false;
  if (end == UINT64_MAX) end = std::max(start, settled);
  const bool complete = is_complete(end);
  if (!all && !is_full() && !complete && end > waits_after_) return false;

  Held& from = first->second;
  give_back(from);
  if (bounds_.are_cut() && !complete) count_outstanding(end, from);
  for (auto& [pid, process] : processes_) process.open_runs(end);
  const std::vector<uint32_t> launch_of = find_launches(first->first, from, complete);
  out = Slice();
  out.start = start;
  out.end = end;
  out.launched = std::move(from.launched);
  out.waited = std::move(from.waited);
  out.memory = std::move(from.memory);
  // agents are read one after the other; what happened at one time keeps its order
  std::stable_sort(out.memory.begin(), out.memory.end(),
                   [](const MemoryChange& a, const MemoryChange& b) { return a.time < b.time; });
  for (const auto& [of, time] : from.unplaced) {
    out.idle[{of.first, IdleKind::unplaced, of.second}] = time;
    out.hidden[of.second] = time.ns;
  }
  device_times_.advance(end, out);
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
  written_ = first->first + 1;
  held_.erase(first);
  if (ends_ != 0 && held_.empty()) device_times_.finish(ends_, out);

  forget_written();
  return true;
}

}  // namespace aiflame::record
