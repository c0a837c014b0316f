// SPDX-License-Identifier: MIT
// What a source's samples and an agent's have in common: their code is looked up when they arrive,
// and those that are lost are booked.
#pragma once

#include <cstdint>

#include "tools/gpustall-record/join/capture_tables.h"
#include "tools/gpustall-record/join/code_tracker.h"
#include "tools/gpustall-record/join/slice.h"
#include "tools/gpustall-record/join/slice_joiner.h"

namespace aiflame::record {

class SampleIntake {
 public:
  SampleIntake(CaptureTables& tables, const CodeTracker& code, SliceJoiner& joiner)
      : tables_(tables), code_(code), joiner_(joiner) {}

  // Sets the object and the kernel at the sample's address, as far as they are known.
  void find_code(TimedSample& sample) const;
  // Hands it to its slice. `seen`: a time up to which something is known to have happened.
  void add(const TimedSample& sample, uint64_t seen);
  // `count` samples were lost at `time`; UINT64_MAX = unknown.
  void lose(uint64_t time, uint32_t pid, uint32_t device, uint64_t count) {
    joiner_.add_lost_samples(time, pid, device, count);
  }

 private:
  CaptureTables& tables_;
  const CodeTracker& code_;
  SliceJoiner& joiner_;
};

}  // namespace aiflame::record
