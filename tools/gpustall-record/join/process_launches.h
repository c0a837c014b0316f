// SPDX-License-Identifier: MIT
// The launches of one process: which are outstanding, and when the others ran. Answers which launch
// a sample belongs to. Pure; the terms are those of slice_joiner.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libcommon/timeline/idle_causes.h"
#include "libcommon/timeline/work_class.h"
#include "tools/gpustall-record/join/ordered_queue.h"
#include "tools/gpustall-record/join/slice.h"

namespace aiflame::record {

class ProcessLaunches {
 public:
  struct Launch {
    LaunchKind kind;
    uint32_t kernel = 0;
    uint64_t queue = 0, time = 0;  // when it was handed to the driver
    bool in_order = true;          // its queue runs launches one after the other
    bool counted = false;          // see count_outstanding()
    uint32_t tid = 0, device = 0;
    WorkClass work_class = WorkClass::computation;
    HostPhase phase = HostPhase::calls;  // of the call that made it
  };

  // ---- outstanding launches
  void start(uint64_t instance, const Launch& launch);
  // Removes the launch from the outstanding ones; nothing when it is not one of them.
  std::optional<Launch> take(uint64_t instance);
  // The lowest instance that is outstanding.
  std::optional<uint64_t> first_outstanding() const;
  // Counts the outstanding launches that were made before `end` and are not counted yet. Returns
  // their kinds.
  std::vector<LaunchKind> count_outstanding(uint64_t end);
  // The same for all outstanding launches, with the times at which they were made.
  std::vector<std::pair<LaunchKind, uint64_t>> count_unfinished();
  // The outstanding launches that are not counted yet.
  uint64_t uncounted() const;
  // Whether an outstanding launch may have run before `end`.
  bool may_have_run_before(uint64_t end) const;

  // ---- runs
  void add_run(uint32_t kernel, uint64_t begin, uint64_t end, uint32_t number);
  // Instance `instance` of `queue` ended at `end`.
  void set_last_done(uint64_t queue, uint64_t instance, uint64_t end);
  // Makes find_launch() consider the runs that began before `slice_end`.
  void open_runs(uint64_t slice_end);
  // The number of the only distinct launch that may have been running the sample's kernel at its
  // time; 0 when there is none or more than one. `is_complete`: no outstanding launch needs to be
  // considered.
  uint32_t find_launch(const TimedSample& sample, bool is_complete) const;

  // ---- lost reports
  // Reports of launches in the slices from `first` to `last` were lost.
  void mark_lossy(uint64_t first, uint64_t last);
  bool is_lossy(uint64_t slice_index) const;

  // ---- the end
  void set_gone(bool is_gone) { is_gone_ = is_gone; }
  // Forgets what only slices below `next_slice` needed; `next_start` is the start of that slice.
  // Returns the number of forgotten runs.
  size_t forget_before(uint64_t next_slice, uint64_t next_start);
  // The process has ended, and nothing is left of it.
  bool is_over() const;

 private:
  struct Run {
    uint64_t begin = 0, end = 0;
    uint32_t number = 0;
    uint64_t reach = 0;  // the latest end of this run and the earlier ones
  };
  static void set_reach(std::vector<Run>& runs);
  struct LastDone {
    uint64_t instance = 0, end = 0;
  };

  std::map<uint64_t, Launch> outstanding_;         // by instance
  std::map<uint64_t, std::set<uint64_t>> queues_;  // queue -> outstanding instances
  // By queue. In an in-order queue, later instances began after this end.
  std::map<uint64_t, LastDone> last_done_;
  // Runs that reach into the slice to be written next: by kernel, sorted by begin.
  std::unordered_map<uint32_t, std::vector<Run>> runs_;
  using KernelRun = std::pair<uint32_t, Run>;
  static bool begins_before(const KernelRun& one, const KernelRun& other) {
    return one.second.begin < other.second.begin;
  }
  // Runs that begin later, with their kernels, by begin. They are kept apart so that a slice does
  // not search through all runs that pile up while it is held back.
  OrderedQueue<KernelRun, begins_before> later_;
  std::vector<std::pair<uint64_t, uint64_t>> lossy_;  // first and last slice
  bool is_gone_ = false;
};

}  // namespace aiflame::record
