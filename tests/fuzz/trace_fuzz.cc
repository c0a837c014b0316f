// SPDX-License-Identifier: MIT
// Chrome traces as input of stackcollapse-trace, folded in different ways. What is written is what
// was read: ImportedStacks::write() says where it is not.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "libcommon/base/program.h"
#include "tests/fuzz/memory_file.h"
#include "tools/stackcollapse-trace/collapse.h"

using namespace aiflame;
using namespace aiflame::trace;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  if (size == 0) return 0;
  file.set({reinterpret_cast<const char*>(data) + 1, size - 1});
  TraceSettings settings;
  settings.shapes = (data[0] & 1) != 0;
  settings.streams = settings.rank = (data[0] & 2) != 0;
  settings.by_step = (data[0] & 4) != 0;
  if ((data[0] & 8) != 0) settings.by_time = TimeStep("0.5");
  settings.timeline.idle = settings.timeline.outside = (data[0] & 16) != 0;
  settings.cpu = (data[0] & 32) != 0 && !settings.timeline.idle;
  settings.timeline.exposed = (data[0] & 1) != 0 && !settings.cpu;
  if ((data[0] & 64) != 0) settings.root_ranges = {"f*"};
  if ((data[0] & 68) == 68) settings.import.by_range = RangeChoice({"f*"});
  if ((data[0] & 128) != 0) settings.root_category = "vllm-gaudi";
  if ((data[0] & 192) == 192) {
    settings.stack_categories = {"vllm-gaudi", "node"};
    settings.timeline = {};
    settings.cpu = false;
  }
  ImportedStacks stacks;
  try {
    // the trace is its own capture
    if ((data[0] & 3) == 3) settings.graph_names = {file.path()};
    collapse(file.path(), settings, read_other_files(settings, stacks), stacks);
    Output out("/dev/null");
    stacks.write(out);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("bug") != std::string_view::npos) abort();
  }
  return 0;
}
