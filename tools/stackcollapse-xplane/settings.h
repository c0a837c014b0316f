// SPDX-License-Identifier: MIT
#pragma once

#include "libcommon/folded/time_step.h"
#include "libcommon/import/importer.h"

namespace aiflame::xplane {

// What the options of the command line choose.
struct Settings {
  ImportSettings import;
  bool cpu = false;      // --cpu: the time of the host's threads
  bool rank = false;     // --rank: a root frame for the host that wrote the file
  bool streams = false;  // --streams: a root frame for each device and stream
  bool by_step = false;  // --by-step
  TimeStep by_time;      // --by-time

  // --frames: which frames stand below the kernel
  struct Frames {
    bool host = true, runtime = true, module = true, source = true, scope = true;
  } frames;
};

}  // namespace aiflame::xplane
