// SPDX-License-Identifier: MIT
// An SQLite file as input of stackcollapse-rocprof.
#include "tests/fuzz/imported.h"
#include "tests/fuzz/temporary_file.h"
#include "tools/stackcollapse-rocprof/draw.h"
#include "tools/stackcollapse-rocprof/rocpd_file.h"

using namespace aiflame;
using namespace aiflame::rocprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::TemporaryFile file;
  file.set(data, size);
  for (const bool idle : {false, true})
    fuzz::import_bytes(data, size, [&](const std::string&, ImportedStacks& stacks) {
      Settings settings;
      settings.event = Event::time;
      settings.timeline = {.idle = idle, .outside = idle, .exposed = idle};
      settings.rank = settings.streams = settings.threads = true;
      RocprofTrace trace;
      read_rocpd_file(file.path(), trace);
      draw(trace, settings, stacks);
    });
  return 0;
}
