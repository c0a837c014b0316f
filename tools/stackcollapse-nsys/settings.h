// SPDX-License-Identifier: MIT
#pragma once

#include "libcommon/folded/time_step.h"
#include "libcommon/import/importer.h"
#include "libcommon/timeline/timeline_stacks.h"

namespace aiflame::nsys {

// What the options of the command line choose.
struct Settings {
  ImportSettings import;
  bool cpu = false;           // --cpu: CPU samples instead of the device's time
  bool rank = false;          // --rank: a root frame for each process
  bool streams = false;       // --streams: a root frame for each device and stream
  TimeStep by_time;           // --by-time
  TimelineSettings timeline;  // --idle, --outside, --exposed

  // --frames: which CPU frames are drawn
  struct Frames {
    bool operators = true, ranges = true, calls = true, runtime = true;
  } frames;
};

}  // namespace aiflame::nsys
