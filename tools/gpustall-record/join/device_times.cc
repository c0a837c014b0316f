// SPDX-License-Identifier: MIT
// How idle time is found while a program runs.
//
// A device is idle from the end of what it ran last to the begin of what it runs next, on any of
// its queues and for any process. Runs are reported when they have ended, and not in order. But a
// slice is only written when all runs that begin in it are known (slice_joiner.cc). So each device
// has a sweep that follows the slices, as the importers of traces have one for the whole time:
//
//   runs      |== A ==|      |== B ==|                        |== C ==|
//                        |====== copy ======|
//   slices    0         1         2         3         4         5
//   gaps              |--|                  |.................|
//                                           ^ ends when C begins, in slice 5
//
// What a gap is charged to depends on the launch that ends it: the thread that made it is the one
// that did not ask for work earlier. What that thread did meanwhile is known from its calls
// (HostCalls), and explain_gap() cuts the gap by them. So a gap counts in the slice in which it
// ends, however long it is.
//
// Where runs overlap, each moment belongs to one of them, and is hidden for the others. The busy
// time of a launch without its hidden time is what it owns. What all launches of a device own,
// together with its gaps, is the device's window, to the nanosecond. A run that is reported too
// late, for a time that the sweep has given away, is hidden for that time.
//
// A function of the host in a stream is a run as well, which is hidden all along. The time of it
// that nothing else owns is idle time, and is charged to the function.
//
// Before a device's first run and after its last, it is not idle: nothing had to run then. That
// time is told apart.
#include "tools/gpustall-record/join/device_times.h"

#include <algorithm>
#include <vector>

#include "libcommon/base/sample_sum.h"
#include "libcommon/timeline/idle_causes.h"
#include "libcommon/timeline/timeline_sweep.h"
#include "tools/gpustall-record/join/ordered_queue.h"

namespace aiflame::record {
namespace {

IdleKind kind_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::host_waits:
      return IdleKind::waits;
    case IdleCause::host_copies:
      return IdleKind::copies;
    case IdleCause::launch_latency:
      return IdleKind::latency;
    case IdleCause::runtime:
      return IdleKind::runtime;
    case IdleCause::host_busy:
      return IdleKind::host;
    case IdleCause::host_function:
      return IdleKind::function;
    case IdleCause::untraced:
      break;
  }
  return IdleKind::untraced;
}

void add_idle(Slice& out, const IdlePlace& place, uint64_t ns) {
  IdleTime& time = out.idle[place];
  add_saturating(time.count, 1);
  add_saturating(time.ns, ns);
}

}  // namespace

class DeviceTimes::Device {
 public:
  Device(uint32_t number, const HostCalls& calls, Budgets& budgets)
      : number_(number), calls_(calls), budgets_(budgets) {}

  void add(const DeviceRun& run) { later_.add(run); }

  void advance(uint64_t to, uint64_t origin, Slice& out) {
    out_ = &out;
    later_.sort();
    for (; !later_.empty() && later_.front().begin < to; later_.pop_front())
      begin(later_.front(), origin);
    sweep_.advance(static_cast<int64_t>(to));
    count_hidden(to);
  }

  void finish(uint64_t end, Slice& out) {
    const uint64_t last = now();
    if (sweep_.has_begun() && last < end) add_idle(out, {number_, IdleKind::after, 0}, end - last);
  }

  // Up to where each moment is given away; a gap that is open begins there.
  uint64_t now() const { return static_cast<uint64_t>(sweep_.now()); }

  // ---- of TimelineSweep
  void own(uint32_t id, int64_t from, int64_t to) {
    Lasting& owner = lasting(id);
    const auto time = static_cast<uint64_t>(to - from);
    if (owner.run.work_class == WorkClass::host)
      add_idle(*out_, {number_, IdleKind::function, owner.run.number}, time);
    else
      owner.owned += time;
  }
  void idle(int64_t from, int64_t to, uint32_t id) {
    const DeviceRun& next = lasting(id).run;
    const auto host_at = [&](int64_t time) {
      return calls_.at(next.pid, next.tid, static_cast<uint64_t>(time));
    };
    for (const IdlePart& part :
         explain_gap({from, to, id}, static_cast<int64_t>(next.returned), host_at))
      add_idle(*out_, {number_, kind_of(part.cause), part.what != 0 ? part.what : next.number},
               static_cast<uint64_t>(part.to - part.from));
  }

 private:
  struct Lasting {
    uint32_t id = 0;
    DeviceRun run;
    uint64_t told = 0;   // its time up to here is in slices
    uint64_t owned = 0;  // of the time since
  };

  // Nearly always one of those that began in this slice, whose ids have no gaps.
  Lasting& lasting(uint32_t id) {
    const uint32_t back = next_id_ - 1 - id;
    if (back < lasting_.size() && lasting_[lasting_.size() - 1 - back].id == id)
      return lasting_[lasting_.size() - 1 - back];
    return *std::lower_bound(lasting_.begin(), lasting_.end(), id,
                             [](const Lasting& one, uint32_t wanted) { return one.id < wanted; });
  }

  // Of runs that begin at once, the one that ends first is inside of the others.
  static bool begins_before(const DeviceRun& one, const DeviceRun& other) {
    return one.begin != other.begin ? one.begin < other.begin : one.end > other.end;
  }

  void begin(const DeviceRun& run, uint64_t origin) {
    if (run.end <= run.begin) return budgets_.give_back(Kept::runs, run.pid, kRunBytes);
    if (!sweep_.has_begun() && origin < run.begin)
      add_idle(*out_, {number_, IdleKind::before, run.number}, run.begin - origin);
    const uint32_t id = next_id_++;
    lasting_.push_back({id, run, run.begin, 0});
    sweep_.begin(id, static_cast<int64_t>(run.begin), static_cast<int64_t>(run.end),
                 run.work_class);
  }

  // What of the runs up to `to` others have covered.
  void count_hidden(uint64_t to) {
    std::erase_if(lasting_, [&](Lasting& each) {
      const uint64_t until = std::min(each.run.end, to);
      if (until > each.told) {
        const uint64_t hidden = until - each.told - std::min(each.owned, until - each.told);
        if (hidden > 0) add_saturating(out_->hidden[each.run.number], hidden);
        each.told = until;
        each.owned = 0;
      }
      if (each.run.end > to) return false;
      budgets_.give_back(Kept::runs, each.run.pid, kRunBytes);
      return true;
    });
  }

  const uint32_t number_;
  const HostCalls& calls_;
  Budgets& budgets_;
  OrderedQueue<DeviceRun, begins_before> later_;
  std::vector<Lasting> lasting_;  // by id
  uint32_t next_id_ = 0;
  TimelineSweep<Device> sweep_{*this};
  Slice* out_ = nullptr;
};

DeviceTimes::DeviceTimes(uint64_t origin, Budgets& budgets)
    : origin_(origin), budgets_(budgets), calls_(budgets) {}

DeviceTimes::~DeviceTimes() = default;

void DeviceTimes::add_run(uint32_t device, const DeviceRun& run) {
  std::unique_ptr<Device>& known = devices_[device];
  if (known == nullptr) known = std::make_unique<Device>(device, calls_, budgets_);
  known->add(run);
}

void DeviceTimes::advance(uint64_t to, Slice& out) {
  uint64_t needed_from = to;
  for (const auto& [number, device] : devices_) {
    device->advance(to, origin_, out);
    needed_from = std::min(needed_from, device->now());
  }
  calls_.forget_before(needed_from);
}

void DeviceTimes::finish(uint64_t end, Slice& out) {
  for (const auto& [number, device] : devices_) device->finish(end, out);
}

}  // namespace aiflame::record
