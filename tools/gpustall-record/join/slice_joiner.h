// SPDX-License-Identifier: MIT
// Joins samples that carry a time to the launch that ran at that time, slice by slice. Pure: all
// times come from the caller. slice_joiner.cc explains how.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tools/gpustall-record/join/process_launches.h"
#include "tools/gpustall-record/join/slice.h"
#include "tools/gpustall-record/join/slice_bounds.h"

namespace aiflame::record {

class SliceJoiner {
 public:
  // Slices are [origin + k * interval, origin + (k + 1) * interval). With `interval` 0 the samples
  // have no time of their own: each read is a slice, and samples are not joined to launches.
  SliceJoiner(uint64_t origin, uint64_t interval) : bounds_(origin, interval) {}

  // With `interval` 0: ends a slice at `time`.
  void cut(uint64_t time);
  void add_sample(const TimedSample& sample);
  void add_event(const SliceEvent& event);
  // `count` samples were lost at `time`; UINT64_MAX = unknown.
  void add_lost_samples(uint64_t time, uint32_t pid, uint32_t device, uint64_t count);

  struct Started {
    uint32_t pid = 0;
    uint64_t instance = 0;
    uint32_t number = 0;  // of the distinct launch
    uint32_t kernel = 0;
    uint64_t queue = 0;
    uint64_t time = 0;
    bool in_order = true;
    bool timed = true;  // end_launch() will follow
  };
  void start_launch(const Started& launch);
  // Ends an outstanding launch; other instances are ignored. `begin` and `end` are its run on the
  // device; `begin` only counts with LaunchEnd::timed.
  void end_launch(uint32_t pid, uint64_t instance, LaunchEnd how, uint64_t begin, uint64_t end);
  // Counts `launches` launches at `time`, whose ends are never reported.
  void add_untimed(uint32_t number, uint64_t time, uint64_t launches);
  // Takes back launches that add_untimed() counted: they failed. A slice that has been written
  // keeps its count.
  void retract_untimed(uint32_t number, uint64_t time, uint64_t launches);
  // The process has ended: no ends follow for its outstanding launches.
  void end_process(uint32_t pid, uint64_t time);
  // Launches of `pid` between `from` and `to` are missing, so samples in that range stay
  // unattributed.
  void mark_lost_launches(uint32_t pid, uint64_t from, uint64_t to);

  // Takes the next slice if it is complete and ends at or before `settled`, the time up to which
  // everything has been added. `all`: takes the rest too, complete or not.
  bool take_next(uint64_t settled, bool all, Slice& out);

  // Launches counted so far.
  uint64_t launches() const { return launches_; }

 private:
  // What is collected for a slice until it is taken.
  struct Held {
    std::vector<TimedSample> samples;
    struct Placed {
      size_t position = 0;  // before this sample
      SliceEvent event;
    };
    std::vector<Placed> events;
    std::map<uint32_t, LaunchedCount> launched;
  };

  // The most samples and runs that are held (some 100 MB): 8 minutes of two processors at the
  // default rate, or 100 s of 10 000 launches a second after a kernel that does not end. Beyond it,
  // the oldest slice is written with what is known.
  static constexpr size_t kMaxHeld = 1 << 20;

  // Keeps the last kMaxCuts boundaries for launches that are reported late: 40 s at the default
  // interval.
  static constexpr uint64_t kMaxCuts = 4096;

  uint64_t index(uint64_t time) const { return bounds_.index(time); }
  Held& held_at(uint64_t time);
  void count_launch(uint32_t number, uint64_t time);
  void count_outstanding(uint64_t end, Held& into);
  void add_run(ProcessLaunches& process, const ProcessLaunches::Launch& launch, uint64_t begin,
               uint64_t end);
  bool is_complete(uint64_t end) const;
  std::vector<uint32_t> find_launches(uint64_t slice_index, const Held& from,
                                      bool is_complete) const;
  void forget_written();

  SliceBounds bounds_;
  uint64_t written_ = 0;  // slices below this index have been taken
  uint64_t launches_ = 0;
  size_t held_samples_ = 0, held_runs_ = 0;
  std::map<uint64_t, Held> held_;  // by index
  std::map<uint32_t, ProcessLaunches> processes_;
};

}  // namespace aiflame::record
