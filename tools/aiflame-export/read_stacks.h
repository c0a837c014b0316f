// SPDX-License-Identifier: MIT
// Reads folded files into profiles, one for each event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/base/count_sum.h"
#include "libcommon/folded/launch_fact.h"
#include "libcommon/folded/quantity.h"
#include "tools/aiflame-export/frame_table.h"
#include "tools/aiflame-export/sample_store.h"
#include "tools/aiflame-export/stack_labels.h"

namespace aiflame::exporter {

// The samples of one event.
struct Profile {
  Quantity quantity;
  CountSum total;
  uint64_t samples = 0;
  LaunchFacts launches;
  std::vector<SampleRange> ranges;  // of its files
  std::string file;                 // the first, as messages name it
  std::string fraction;             // "path:line" of the first count that is not whole
};

struct Profiles {
  FrameTable frames;
  SampleStore samples;
  std::vector<Profile> all;
};

// Files of the same event, unit and period are one profile; a file that says nothing of its counts
// belongs to the first one. Throws Error.
Profiles read_profiles(const std::vector<std::string>& paths, StackLabels labels);

}  // namespace aiflame::exporter
