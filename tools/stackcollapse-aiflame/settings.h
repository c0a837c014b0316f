// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "libcommon/attribution/launch_events.h"
#include "libcommon/device/device_frames.h"
#include "libcommon/folded/range_choice.h"
#include "libcommon/folded/time_step.h"
#include "libcommon/perf_script/frame_names.h"
#include "libcommon/timeline/timeline_stacks.h"
#include "tools/stackcollapse-aiflame/filter/sample_filter.h"
#include "tools/stackcollapse-aiflame/fold/memory_settings.h"
#include "tools/stackcollapse-aiflame/name/code_frames.h"
#include "tools/stackcollapse-aiflame/name/process_roots.h"
#include "tools/stackcollapse-aiflame/write/graph_frames.h"

namespace aiflame::collapse {

// What the options of the command line choose.
struct Settings {
  FrameRules frames;
  DeviceRules device;
  std::string event;                  // --event: empty takes the default
  bool event_may_be_missing = false;  // --event-filter, whose original draws nothing then
  bool cpu = false;                   // --cpu
  TimelineSettings times;             // --idle, --outside, --exposed
  MemorySettings memory;              // --at, --allocated, --count
  SourceRules sources;
  FilterOptions filter;
  TimeStep by_time;              // --by-time
  RangeChoice by_range;          // --by-range
  std::vector<RootLevel> roots;  // --root
  bool hide_interpreter = false;
  bool compiler_frames = false;  // --compiler-frames
  GraphFrames graph_frames;
  bool strict = false;  // --strict: a malformed line of text is an error
  std::string launch_events = kDefaultLaunchEvents;

  // For tests: read every line of perf script text, which must make no difference; and the number
  // of threads, 0 for as many as there are processors.
  bool read_each_line = false;
  unsigned threads = 0;
};

}  // namespace aiflame::collapse
