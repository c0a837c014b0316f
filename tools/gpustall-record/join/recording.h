// SPDX-License-Identifier: MIT
// What the parts of the recorder share: who launched what, by which names, and how much it was.
#pragma once

#include <cstdint>
#include <set>

#include "tools/gpustall-record/join/comms.h"
#include "tools/gpustall-record/join/distinct_launches.h"
#include "tools/gpustall-record/write/objects.h"

namespace aiflame::record {

struct Totals {
  uint64_t samples = 0, lost = 0, launches = 0, lost_launches = 0, stacks = 0;
  uint64_t lost_unknown = 0;   // reports of a loss that do not say how many
  uint64_t ambiguous = 0;      // samples of code that several processes have
  uint64_t cut_stacks = 0;     // without their outermost frames
  uint64_t python_unread = 0;  // stacks without the Python frames that they have
  std::set<uint32_t> pythons;  // PY_VERSION_HEX, of those that no agent walks
  uint64_t of_driver = 0;      // of the samples: of the driver's own kernels
};

struct Recording {
  Names kernels, reasons;
  Comms comms;
  DistinctLaunches launches;
  Totals totals;
};

}  // namespace aiflame::record
