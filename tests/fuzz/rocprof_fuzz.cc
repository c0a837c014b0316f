// SPDX-License-Identifier: MIT
// CSV and JSON of rocprofv3 as input of stackcollapse-rocprof.
#include "tests/fuzz/imported.h"
#include "tools/stackcollapse-rocprof/draw.h"

using namespace aiflame;
using namespace aiflame::rocprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const Event event : {Event::unset, Event::clock, Event::time, Event::time}) {
    static bool idle = false;
    idle = event == Event::time && !idle;
    fuzz::import_bytes(data, size, [&](const std::string& path, ImportedStacks& stacks) {
      Settings settings;
      settings.event = event;
      settings.timeline = {.idle = idle, .outside = idle, .exposed = idle};
      settings.rank = settings.streams = settings.threads = true;
      RocprofTrace trace;
      // ids of the same process collide
      for (int i = 0; i < 2; ++i) read_file(path, settings, trace);
      draw(trace, settings, stacks);
    });
  }
  return 0;
}
