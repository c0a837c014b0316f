// SPDX-License-Identifier: MIT
// Joins samples that carry a time to the launch that ran at that time, slice by slice. Pure: times
// come from the caller.
//
// A sample at time t, of kernel K in process P, belongs to the launch of K by P whose run on the
// device covers t. That is known once the device has finished with whatever may have been running
// at t, so a slice is held back until then, and is exact from then on:
//
//   queue, in order   |--A1--|--A2--|----B1----|--A3 (not done)
//   slices            0     1     2     3     4     5
//                                                 ^ complete up to here: A3 began after B1's end
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/gpustall-record/join/slice_bounds.h"
#include "tools/gpustall-record/write/objects.h"

namespace aiflame::record {

struct TimedSample {
  uint64_t time = 0;
  uint64_t address = 0;
  uint64_t count = 1;
  uint32_t pid = 0;
  uint32_t device = 0;
  uint32_t kernel = 0;  // by number; 0 = not known
  uint32_t reason = 0;  // as the caller numbers it
  uint32_t launch = 0;  // number, where the source knows it
  std::shared_ptr<const CodeObject> object;
};

// Samples of a slice that differ in nothing but their time: of the driver's kernels, say, and of an
// unknown address, which have neither an address nor a reason.
struct SampleGroup {
  uint32_t launch = 0;  // number; 0 = not known which
  TimedSample sample;   // its count is the group's
};

struct LaunchedCount {
  uint64_t count = 0;
  uint64_t busy_ns = 0;
  bool measured = true;
};

// An event that must keep its place among the samples of a slice: an object that comes or goes.
struct SliceEvent {
  enum class Kind { load, unload, lost_samples, lost_launches } kind = Kind::load;
  uint64_t time = 0;
  uint32_t pid = 0, device = 0;
  uint64_t file_offset = 0;                  // of a load
  uint64_t count = 0;                        // lost; UINT64_MAX = unknown
  std::shared_ptr<const CodeObject> object;  // loaded or unloaded
  // It was so when the slice's first sample was taken, where that is not told by time.
  bool before_samples = false;
};

// A slice as it is written: groups and events in turn.
struct Slice {
  struct Part {
    std::vector<SliceEvent> events;   // before the groups
    std::vector<SampleGroup> groups;  // sorted
  };
  uint64_t start = 0, end = 0;
  std::map<uint32_t, LaunchedCount> launched;  // by launch number
  std::vector<Part> parts;
};

enum class LaunchEnd {
  timed,    // ran from begin to end
  untimed,  // ran, but nobody knows when
  failed,   // did not run
};

class Slices {
 public:
  // Slices are [origin + k * interval, origin + (k + 1) * interval). `interval` 0: they are the
  // reads of a source whose samples have no time of their own, which are not joined to launches.
  Slices(uint64_t origin, uint64_t interval) : bounds_(origin, interval) {}

  // A read has ended at `time`; with `interval` 0.
  void cut(uint64_t time);
  void sample(const TimedSample& sample);
  void event(const SliceEvent& event);

  // A launch that will be followed by done() (`timed`), or never.
  struct Started {
    uint32_t pid = 0;
    uint64_t instance = 0;
    uint32_t number = 0;  // of the distinct launch
    uint32_t kernel = 0;
    uint64_t queue = 0;
    uint64_t time = 0;
    bool in_order = true;
    bool timed = true;
  };
  void started(const Started& launch);
  // `launches` at `time` that done() never follows, or, `taken_back`, that were told so and failed.
  void untimed(uint32_t number, uint64_t time, uint64_t launches, bool taken_back);
  void done(uint32_t pid, uint64_t instance, LaunchEnd how, uint64_t begin, uint64_t end);
  // No done() follows for what is outstanding of `pid`.
  void process_gone(uint32_t pid, uint64_t time);
  // Launches of `pid` between are missing: its samples of then are joined to none.
  void launches_lost(uint32_t pid, uint64_t from, uint64_t to);

  // The next slice that is complete and ends at or before `settled` (everything older has been
  // handed in). `all`: whatever is left, complete or not.
  bool next(uint64_t settled, bool all, Slice& out);

  // Launches counted so far.
  uint64_t launches() const { return launches_; }

 private:
  struct Window {
    uint64_t begin = 0, end = 0;
    uint32_t number = 0;
    uint64_t reach = 0;  // latest end of this one and those before it
  };
  struct Outstanding {
    uint32_t number = 0, kernel = 0;
    uint64_t queue = 0, time = 0;
    bool in_order = true;
    bool counted = false;  // already, see count_outstanding()
  };
  // Of an in-order queue: what was reported after this one began after its end.
  struct LastDone {
    uint64_t instance = 0, end = 0;
  };
  struct Process {
    std::map<uint64_t, Outstanding> outstanding;    // by instance
    std::map<uint64_t, std::set<uint64_t>> queues;  // queue -> instances outstanding
    std::map<uint64_t, LastDone> last_done;         // by queue
    // What ran in the slice to be written next, by kernel and in order of begin; and, with its
    // kernel, what began later, which a slice that is held back need not look through.
    std::unordered_map<uint32_t, std::vector<Window>> windows;
    std::deque<std::pair<uint32_t, Window>> later;
    std::vector<std::pair<uint64_t, uint64_t>> lossy;  // first and last slice with launches lost
    bool gone = false;
  };
  struct Held {
    std::vector<TimedSample> samples;
    struct Placed {
      size_t position = 0;  // before this sample
      SliceEvent event;
    };
    std::vector<Placed> events;
    std::map<uint32_t, LaunchedCount> launched;
  };

  // So many samples and ended launches are held at the most (some 100 MB): 8 minutes of two
  // processors at the default rate, or 100 s of 10 000 launches a second behind a kernel that does
  // not end. Beyond it the oldest slice is written as what is known says.
  static constexpr size_t kMaxHeld = 1 << 20;

  // Cuts behind which nothing is held are forgotten but for so many, which launches that are told
  // late can still be placed between: 40 s of the default interval.
  static constexpr uint64_t kMaxCuts = 4096;

  uint64_t index(uint64_t time) const { return bounds_.index(time); }
  Held& held(uint64_t time);
  void count(uint32_t number, uint64_t time);
  void count_outstanding(uint64_t end, Held& into);
  bool complete(uint64_t end) const;
  void close(Process& process, uint64_t instance);
  void add_window(Process& process, uint32_t kernel, uint64_t begin, uint64_t end, uint32_t number);
  void open_windows(uint64_t slice_end);
  void drop_windows();
  void join(uint64_t slice_index, const Held& from, bool is_complete,
            std::vector<uint32_t>& launch_of) const;

  SliceBounds bounds_;
  uint64_t written_ = 0;  // slices below this index are written
  uint64_t launches_ = 0;
  size_t held_samples_ = 0, held_windows_ = 0;
  std::map<uint64_t, Held> held_;  // by index
  std::map<uint32_t, Process> processes_;
};

}  // namespace aiflame::record
