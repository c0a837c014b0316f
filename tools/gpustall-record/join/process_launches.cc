// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/process_launches.h"

#include <algorithm>

namespace aiflame::record {
namespace {

// The platform's times for a launch are converted between clocks and may be off by a microsecond or
// two. Launches of one queue are further apart than this.
constexpr uint64_t kSlackNs = 3000;

// Queues of a process whose last end is kept. Programs have some dozens.
constexpr size_t kMaxQueues = 1024;

}  // namespace

// ---- outstanding launches ----------------------------------------------------------------------

void ProcessLaunches::start(uint64_t instance, const Launch& launch) {
  is_gone_ = false;
  // instances rise: the latest is nearly always the last
  outstanding_.insert_or_assign(outstanding_.end(), instance, launch);
  std::set<uint64_t>& queue = queues_[launch.queue];
  queue.insert(queue.end(), instance);
}

std::optional<ProcessLaunches::Launch> ProcessLaunches::take(uint64_t instance) {
  // nearly always the oldest has ended
  auto at = outstanding_.begin();
  if (at == outstanding_.end()) return std::nullopt;
  if (at->first != instance) at = outstanding_.find(instance);
  if (at == outstanding_.end()) return std::nullopt;
  const Launch launch = at->second;
  const auto queue = queues_.find(launch.queue);
  if (*queue->second.begin() == instance)
    queue->second.erase(queue->second.begin());
  else
    queue->second.erase(instance);
  if (queue->second.empty()) queues_.erase(queue);
  outstanding_.erase(at);
  return launch;
}

std::optional<uint64_t> ProcessLaunches::first_outstanding() const {
  if (outstanding_.empty()) return std::nullopt;
  return outstanding_.begin()->first;
}

std::vector<LaunchKind> ProcessLaunches::count_outstanding(uint64_t end) {
  std::vector<LaunchKind> kinds;
  for (auto& [instance, launch] : outstanding_) {
    if (launch.counted || launch.time >= end) continue;
    launch.counted = true;
    kinds.push_back(launch.kind);
  }
  return kinds;
}

std::vector<std::pair<LaunchKind, uint64_t>> ProcessLaunches::count_unfinished() {
  std::vector<std::pair<LaunchKind, uint64_t>> out;
  for (auto& [instance, launch] : outstanding_)
    if (!std::exchange(launch.counted, true)) out.emplace_back(launch.kind, launch.time);
  return out;
}

uint64_t ProcessLaunches::uncounted() const {
  return static_cast<uint64_t>(std::count_if(outstanding_.begin(), outstanding_.end(),
                                             [](const auto& at) { return !at.second.counted; }));
}

bool ProcessLaunches::may_have_run_before(uint64_t end) const {
  for (const auto& [queue, instances] : queues_) {
    const Launch& oldest = outstanding_.at(*instances.begin());
    if (oldest.time >= end) continue;
    const auto last = last_done_.find(queue);
    // In order, it began after the end of the previous launch. That does not hold for an older
    // instance than the last done one: its end is only reported late, by another thread of the
    // platform.
    if (oldest.in_order && last != last_done_.end() && last->second.end >= end &&
        *instances.begin() > last->second.instance)
      continue;
    return true;
  }
  return false;
}

// ---- runs --------------------------------------------------------------------------------------

void ProcessLaunches::set_last_done(uint64_t queue, uint64_t instance, uint64_t end) {
  // beyond the cap, launches of other queues are waited for
  if (last_done_.size() >= kMaxQueues && !last_done_.contains(queue)) return;
  LastDone& last = last_done_[queue];
  last.instance = std::max(last.instance, instance);
  last.end = std::max(last.end, end);
}

void ProcessLaunches::add_run(uint32_t kernel, uint64_t begin, uint64_t end, uint32_t number) {
  later_.add({kernel, Run{begin, end, number, end}});
}

void ProcessLaunches::open_runs(uint64_t slice_end) {
  later_.sort();
  std::set<uint32_t> unsorted;  // kernels
  for (; !later_.empty() && later_.front().second.begin <= slice_end + kSlackNs;
       later_.pop_front()) {
    auto [kernel, run] = later_.front();
    std::vector<Run>& runs = runs_[kernel];
    if (!runs.empty()) {
      if (run.begin < runs.back().begin) unsorted.insert(kernel);
      run.reach = std::max(run.end, runs.back().reach);
    }
    runs.push_back(run);
  }
  for (const uint32_t kernel : unsorted) {
    std::vector<Run>& runs = runs_[kernel];
    std::stable_sort(runs.begin(), runs.end(),
                     [](const Run& a, const Run& b) { return a.begin < b.begin; });
    set_reach(runs);
  }
}

void ProcessLaunches::set_reach(std::vector<Run>& runs) {
  uint64_t reach = 0;
  for (Run& run : runs) run.reach = reach = std::max(reach, run.end);
}

uint32_t ProcessLaunches::find_launch(const TimedSample& sample, bool is_complete) const {
  uint32_t number = 0;
  bool several = false;
  const auto consider = [&](uint32_t candidate) {
    several = several || (number != 0 && number != candidate);
    number = candidate;
  };
  const auto of_kernel = runs_.find(sample.kernel);
  if (of_kernel != runs_.end()) {
    const std::vector<Run>& runs = of_kernel->second;
    auto at = std::upper_bound(runs.begin(), runs.end(), sample.time + kSlackNs,
                               [](uint64_t time, const Run& run) { return time < run.begin; });
    // backwards through the runs that began before it, until none of the rest reaches it
    while (!several && at != runs.begin() && std::prev(at)->reach + kSlackNs >= sample.time) {
      --at;
      if (sample.time <= at->end + kSlackNs) consider(at->number);
    }
  }
  // only for slices that are written before they are complete
  for (auto queue = queues_.begin(); !is_complete && queue != queues_.end(); ++queue) {
    const auto last = last_done_.find(queue->first);
    for (const uint64_t instance : queue->second) {
      const Launch& launch = outstanding_.at(instance);
      const bool began_later = launch.in_order && last != last_done_.end() &&
                               instance > last->second.instance &&
                               last->second.end > sample.time + kSlackNs;
      if (launch.kernel == sample.kernel && launch.time <= sample.time && !began_later)
        consider(launch.kind.number);
      if (launch.in_order) break;  // the following ones have not begun
    }
  }
  return several ? 0 : number;
}

// ---- lost reports ------------------------------------------------------------------------------

void ProcessLaunches::mark_lossy(uint64_t first, uint64_t last) {
  if (lossy_.empty() || first > lossy_.back().second + 1) {
    lossy_.emplace_back(first, last);
    return;
  }
  auto& [known_first, known_last] = lossy_.back();
  known_first = std::min(known_first, first);
  known_last = std::max(known_last, last);
}

bool ProcessLaunches::is_lossy(uint64_t slice_index) const {
  return std::any_of(lossy_.begin(), lossy_.end(), [&](const auto& range) {
    return range.first <= slice_index && slice_index <= range.second;
  });
}

// ---- the end -----------------------------------------------------------------------------------

size_t ProcessLaunches::forget_before(uint64_t next_slice, uint64_t next_start) {
  std::erase_if(lossy_, [&](const auto& range) { return range.second < next_slice; });
  std::erase_if(last_done_, [&](const auto& last) {
    return last.second.end < next_start && !queues_.contains(last.first);
  });
  size_t forgotten = 0;
  for (auto at = runs_.begin(); at != runs_.end();) {
    std::vector<Run>& runs = at->second;
    forgotten += std::erase_if(runs, [&](const Run& r) { return r.end + kSlackNs < next_start; });
    set_reach(runs);
    at = runs.empty() ? runs_.erase(at) : std::next(at);
  }
  return forgotten;
}

bool ProcessLaunches::is_over() const {
  return is_gone_ && outstanding_.empty() && runs_.empty() && later_.empty() && lossy_.empty();
}

}  // namespace aiflame::record
