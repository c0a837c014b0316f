// SPDX-License-Identifier: MIT
// One kind of perf event, on every processor, with its rings. The only user of libperf, which is
// GPL-2.0-only: a program that uses this is so too, as a binary.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

extern "C" {
#include <perf/event.h>
}

#include "libcommon/base/program.h"

namespace aiflame {

// perf_event_open(2) or the mapping of its ring failed.
struct EventRingsError : Error {
  EventRingsError(const char* what, int errno_value);
  int number;    // errno
  bool is_mmap;  // the memory that may be locked is used up
};

class EventRings {
 public:
  // `threads` {-1}: all of the system. The event has a time at the end of each of its records
  // (sample_id_all with PERF_SAMPLE_TID and PERF_SAMPLE_TIME). Throws EventRingsError.
  EventRings(const perf_event_attr& attr, std::vector<pid_t> threads, int ring_pages);
  ~EventRings();
  EventRings(const EventRings&) = delete;
  EventRings& operator=(const EventRings&) = delete;

  void enable();
  void disable();
  // Hands over what is in the rings, one processor after the other: in order of time for each only.
  void drain(const std::function<void(const perf_event_header&)>& sink);
  // Records that found their ring full and that no PERF_RECORD_LOST told of, by the kernel's own
  // count (Linux 6.0): it tells only when a later record finds room, so not of what was lost last.
  uint64_t lost_untold() const;

  // The time at the end of every record but a sample: …, u32 pid, tid, u64 time.
  static uint64_t trailer_time(const perf_event_header& record);

  // A record may show in its ring this much later than its time.
  static constexpr uint64_t kSettleNs = 1000000;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
