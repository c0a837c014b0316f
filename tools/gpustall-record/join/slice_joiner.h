// SPDX-License-Identifier: MIT
// Joins samples that carry a time to the launch that ran at that time, slice by slice. Pure: all
// times come from the caller. slice_joiner.cc explains how.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tools/gpustall-record/budget/budgets.h"
#include "tools/gpustall-record/join/device_times.h"
#include "tools/gpustall-record/join/process_launches.h"
#include "tools/gpustall-record/join/sample_ledger.h"
#include "tools/gpustall-record/join/slice.h"
#include "tools/gpustall-record/join/slice_bounds.h"

namespace aiflame::record {

class SliceJoiner {
 public:
  // Slices are [origin + k * interval, origin + (k + 1) * interval). With `interval` 0 the samples
  // have no time of their own: each read is a slice, and samples are not joined to launches. What
  // is held counts in `budgets`, as Kept::slices and Kept::open_launches. What is taken and lost is
  // booked in `ledger`.
  SliceJoiner(uint64_t origin, uint64_t interval, Budgets& budgets, SampleLedger& ledger)
      : bounds_(origin, interval),
        budgets_(budgets),
        ledger_(ledger),
        device_times_(origin, budgets) {}

  // What a sample takes of the budget.
  static constexpr uint64_t kSampleBytes = 80;

  // With `interval` 0: ends a slice at `time`.
  void cut(uint64_t time);
  // Adds it to its slice, or books it as lost when its process is over its budget.
  void add_sample(const TimedSample& sample);
  // The process had no room for the sample before it came to a slice.
  void lose_sample(const TimedSample& sample);
  void add_event(const SliceEvent& event);
  // `count` samples were lost at `time`, as the source or an agent says; UINT64_MAX = unknown.
  // Where the process has no room for the record, the loss waits for place_losses().
  void add_lost_samples(uint64_t time, uint32_t pid, uint32_t device, uint64_t count);
  // An allocation or a free of device memory; it is lost when its process has no room for it. That
  // a process has ended is never lost.
  void add_memory(const MemoryChange& change);
  void lose_memory(uint32_t pid, uint64_t count, LossCause cause);
  // Launches that were reported are lost; place_losses() tells them.
  void lose_launches(uint32_t pid, uint64_t count, LossCause cause);
  // Places the losses that wait at `time`, as far as their processes have room for the records;
  // `force`: all of them. Launches that were lost may have run between `from` and `to`.
  void place_losses(uint64_t time, uint64_t from, uint64_t to, bool force);

  struct Started {
    uint32_t pid = 0;
    uint64_t instance = 0;
    LaunchKind kind;
    uint32_t kernel = 0;
    uint64_t queue = 0;
    uint64_t time = 0;
    bool in_order = true;
    bool timed = true;  // end_launch() will follow
    uint32_t tid = 0, device = 0;
    WorkClass work_class = WorkClass::computation;
    HostPhase phase = HostPhase::calls;  // of the call
  };
  void start_launch(const Started& launch);
  // Ends an outstanding launch; other instances are ignored. `begin` and `end` are its run on the
  // device; `begin` only counts with LaunchEnd::timed and lasted. `returned`: when the call did
  // that launched it; 0 = not known, UINT64_MAX = not yet. `number`: of the distinct launch that
  // says better what ran; 0 = the launch's own.
  void end_launch(uint32_t pid, uint64_t instance, LaunchEnd how, uint64_t begin, uint64_t end,
                  uint64_t returned = 0, uint32_t number = 0);
  // A call has returned, in a thread of the process. `has_waited`: its time counts as waiting.
  // False when the process has no room for it.
  [[nodiscard]] bool add_call(uint32_t pid, uint32_t tid, const HostCalls::Call& call,
                              bool has_waited);
  // Counts `launches` launches at `time`, whose ends are never reported.
  void add_untimed(uint32_t pid, LaunchKind kind, uint64_t time, uint64_t launches);
  // Takes back launches that add_untimed() counted: they failed. A slice that has been written
  // keeps its count.
  void retract_untimed(LaunchKind kind, uint64_t time, uint64_t launches);
  // The process has ended: no ends follow for its outstanding launches.
  void end_process(uint32_t pid, uint64_t time);
  // Launches of `pid` between `from` and `to` are missing, so samples in that range stay
  // unattributed.
  void mark_lost_launches(uint32_t pid, uint64_t from, uint64_t to);

  // The recording ends `now`: counts the launches that have not ended, as launches without
  // times.
  void end_recording(uint64_t now);
  // Whether no slice that holds something at `time` is left to be taken.
  bool has_taken(uint64_t time) const { return written_ > index(time); }

  // Takes the next slice if it is complete and ends at or before `settled`, the time up to which
  // everything has been added. `all`: takes the rest too, complete or not.
  [[nodiscard]] bool take_next(uint64_t settled, bool all, Slice& out);
  // Slices that end at or before `time` are taken from here on even if they are not complete.
  void stop_waiting(uint64_t time) { waits_after_ = time; }

  // What is held, for the ledger: the samples, launches, memory and losses of the slices that are
  // not taken, and the launches that have not ended.
  SampleLedger::Holding holding() const;

 private:
  // What is collected for a slice until it is taken.
  struct Held {
    std::vector<TimedSample> samples;
    struct Placed {
      size_t position = 0;  // before this sample
      SliceEvent event;
      uint64_t bytes = 0;  // of the budget of the event's process
    };
    std::vector<Placed> events;
    std::map<LaunchKind, LaunchedCount> launched;
    std::vector<MemoryChange> memory;
    std::map<uint32_t, WaitedTime> waited;                       // by number
    std::map<std::pair<uint32_t, uint32_t>, IdleTime> unplaced;  // by device and number
    uint32_t pid = 0;    // of the process whose budget has the slice
    uint64_t bytes = 0;  // of that budget
  };

  // What things take in memory, with the containers that hold them.
  static constexpr uint64_t kRunBytes = 64, kEventBytes = 128, kLaunchedBytes = 96,
                            kSliceBytes = 256, kOpenBytes = 160, kMemoryBytes = 96;

  // Keeps the last kMaxCuts boundaries for launches that are reported late: 40 s at the default
  // interval.
  static constexpr uint64_t kMaxCuts = 4096;

  uint64_t index(uint64_t time) const { return bounds_.index(time); }
  [[nodiscard]] Held* held_at(uint64_t time, uint32_t pid, bool force);
  [[nodiscard]] LaunchedCount* launched_at(uint64_t time, uint32_t pid, LaunchKind kind);
  [[nodiscard]] bool place_loss(const SampleLedger::Key& key, uint64_t time, uint64_t count,
                                bool force);
  [[nodiscard]] bool place(const SliceEvent& event, uint64_t bytes, bool force);
  LaunchedCount* count_launches(uint32_t pid, LaunchKind kind, uint64_t time, uint64_t launches);
  void count_untimed(uint32_t pid, LaunchKind kind, uint64_t time, uint64_t launches);
  void count_outstanding(uint64_t end, Held& into);
  [[nodiscard]] bool add_run(uint32_t pid, ProcessLaunches& process,
                             const ProcessLaunches::Launch& launch, uint64_t begin, uint64_t end);
  bool is_full() const;
  void add_busy(uint32_t pid, LaunchKind kind, uint64_t begin, uint64_t end);
  void add_unplaced(uint32_t pid, const ProcessLaunches::Launch& launch, uint64_t begin,
                    uint64_t end);
  void add_device_run(uint32_t pid, const ProcessLaunches::Launch& launch, uint64_t begin,
                      uint64_t end, uint64_t returned);
  void give_back(const Held& slice);
  bool is_complete(uint64_t end) const;
  std::vector<uint32_t> find_launches(uint64_t slice_index, const Held& from,
                                      bool is_complete) const;
  void forget_written();

  SliceBounds bounds_;
  uint64_t written_ = 0;      // slices below this index have been taken
  uint64_t waits_after_ = 0;  // see stop_waiting()
  uint64_t ends_ = 0;         // the time of end_recording(); 0 = it goes on
  Budgets& budgets_;
  SampleLedger& ledger_;
  DeviceTimes device_times_;
  std::map<uint64_t, Held> held_;  // by index
  std::map<uint32_t, ProcessLaunches> processes_;
};

}  // namespace aiflame::record
