// SPDX-License-Identifier: MIT
// Counts what was captured and lost, for the end of the recording and for the summary.
#pragma once

#include <cstdint>
#include <set>

#include "libcommon/gpustall/recording_counts.h"

namespace aiflame::record {

// The samples, launches and losses are those that were written, see SampleLedger.
struct CaptureTotals : RecordingCounts {
  uint64_t stacks = 0;
  uint64_t no_room = 0;         // of the lost samples: those for which the recorder had no room
  uint64_t ambiguous = 0;       // samples of code that several processes have
  uint64_t cut_stacks = 0;      // stacks without their outermost frames
  uint64_t python_unread = 0;   // stacks whose Python frames could not be read
  std::set<uint32_t> pythons;   // PY_VERSION_HEX of interpreters that no agent can walk
  uint64_t turned_away = 0;     // agents whose launches are not in the recording
  uint64_t complaints = 0;      // messages by which agents said what is missing, and why
  uint64_t unnamed_frames = 0;  // see CpuNames::unread()
  uint64_t busy_ns = 0;         // device time of the launches, as far as it was measured
  uint64_t lost_calls = 0;      // that waited, or compiled
  uint64_t source_objects = 0;  // code objects that the source reported
  uint64_t driver_kernels = 0;  // samples in the driver's own kernels, also in `samples`
};

}  // namespace aiflame::record
