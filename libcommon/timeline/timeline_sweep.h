// SPDX-License-Identifier: MIT
// Goes through the work of a device in the order of its begins, and gives each moment to one piece
// of work, by the rules of device_timeline.h (pure). Work may come while the sweep goes on: what
// lasts longer than the sweep has come is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>

#include "libcommon/timeline/work_class.h"

namespace aiflame {

// `Sink` has
//   void own(uint32_t id, int64_t from, int64_t to);   the work owns this time
//   void idle(int64_t from, int64_t to, uint32_t id);  nothing lasted until the work began
template <typename Sink>
class TimelineSweep {
 public:
  explicit TimelineSweep(Sink& sink) : sink_(sink) {}

  // The first moment, unless there is one. The first work that lasts has it otherwise.
  void begin_window(int64_t start) {
    if (!has_begun_) now_ = start;
    has_begun_ = true;
  }
  // Work that lasts from `start` to `end`. Begins must come in order: of work that began before
  // now(), only the time from then on counts. Of work that begins at once, the one that comes last
  // is inside of the others.
  void begin(uint32_t id, int64_t start, int64_t end, WorkClass work_class) {
    if (end <= start) return;
    begin_window(start);
    advance(start);
    end_gap(start, id);
    lasting_[static_cast<size_t>(work_class)].push({next_++, end, id});
  }
  // Goes on to a time, or to the end of what lasts if that is earlier.
  void advance(int64_t to) {
    while (now_ < to) {
      const Work* owner = find_owner();
      if (owner == nullptr) return;
      const int64_t until = std::min(to, owner->end);
      sink_.own(owner->id, now_, until);
      now_ = until;
    }
  }
  // What comes next, after advance() to the same time, ends a gap if nothing lasts until then.
  void end_gap(int64_t to, uint32_t id) {
    if (now_ >= to) return;
    sink_.idle(now_, to, id);
    now_ = to;
  }
  // The time up to which each moment is given away.
  int64_t now() const { return now_; }
  bool has_begun() const { return has_begun_; }

 private:
  struct Work {
    uint64_t order;
    int64_t end;
    uint32_t id;
    bool operator<(const Work& other) const { return order < other.order; }
  };

  const Work* find_owner() {
    for (auto& lasting : lasting_) {
      while (!lasting.empty() && lasting.top().end <= now_) lasting.pop();
      if (!lasting.empty()) return &lasting.top();
    }
    return nullptr;
  }

  Sink& sink_;
  std::priority_queue<Work> lasting_[kWorkClasses];  // the work that began last comes first
  uint64_t next_ = 0;
  int64_t now_ = 0;
  bool has_begun_ = false;
};

}  // namespace aiflame
