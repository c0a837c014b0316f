// SPDX-License-Identifier: MIT
// One kind of perf event on every processor, with its rings. The only user of libperf, which is
// GPL-2.0-only: so is the binary of a program that uses this.
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
  bool is_mmap;  // mapping failed: the limit of locked memory is reached
};

class EventRings {
 public:
  // `threads` {-1}: the whole system. `ring_pages` is for each processor, a power of two. `attr`
  // must set sample_id_all with PERF_SAMPLE_TID and PERF_SAMPLE_TIME, so that each record ends with
  // a time. Uses CAP_SYS_ADMIN to open the event where the kernel wants it and the thread has it in
  // reserve (libcommon/process/capabilities.h). Throws EventRingsError.
  EventRings(const perf_event_attr& attr, std::vector<pid_t> threads, int ring_pages);
  ~EventRings();
  EventRings(const EventRings&) = delete;
  EventRings& operator=(const EventRings&) = delete;

  void enable();
  void disable();
  // Hands over all records in the rings, one processor after the other: they are sorted by time
  // within each processor only.
  void drain(const std::function<void(const perf_event_header&)>& sink);
  // How many records were lost to a full ring without a PERF_RECORD_LOST, by the kernel's own count
  // (since Linux 6.0). The kernel only writes a PERF_RECORD_LOST once a later record finds room, so
  // the last losses have none.
  uint64_t lost_unreported() const;

  // The time at the end of a record that is not a sample: …, u32 pid, tid, u64 time.
  static uint64_t trailer_time(const perf_event_header& record);

  // A record may appear in its ring this much later than its time.
  static constexpr uint64_t kSettleNs = 1000000;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
