// SPDX-License-Identifier: MIT
#pragma once

#include "libcommon/folded/time_step.h"
#include "libcommon/import/importer.h"
#include "libcommon/timeline/timeline_stacks.h"

namespace aiflame::rocprof {

// What is drawn.
enum class Event {
  unset,          // stalls, else samples, else time: what the input has
  time,           // gpu-time: kernels and copies, ns
  stall,          // gpu-stall: stochastic samples in which the wave issued nothing
  exposed_stall,  // gpu-stall-exposed: those of them in which no wave of the SIMD went on
  clock,          // gpu-clock: all samples
};

// What the options of the command line choose.
struct Settings {
  ImportSettings import;
  Event event = Event::unset;  // --event
  bool rank = false;           // --rank: a root frame for each process
  bool streams = false;        // --streams: a root frame for each device, queue and stream
  bool threads = false;        // --threads: a frame for the thread that launched
  TimeStep by_time;            // --by-time
  TimelineSettings timeline;   // --idle, --outside, --exposed

  // --frames: which frames are drawn besides process and kernel
  struct Frames {
    bool range = true, runtime = true, line = true, mnemonic = true, reason = true, offset = true;
  } frames;
};

}  // namespace aiflame::rocprof
