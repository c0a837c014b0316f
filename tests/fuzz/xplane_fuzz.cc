// SPDX-License-Identifier: MIT
// A profile of XLA, plain.
#include <cstdint>
#include <string_view>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-xplane/collapse.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xplane::Settings settings;
  settings.cpu = size % 4 == 1;
  settings.rank = settings.streams = settings.by_step = size % 2 == 0;
  if (size % 4 == 2) settings.by_time = TimeStep("0.001");
  settings.import.names.lines = settings.import.names.full_names = size % 3 == 1;
  ImportedStacks stacks;
  try {
    xplane::collapse({reinterpret_cast<const char*>(data), size}, "fuzz", settings, stacks);
  } catch (const Error&) {
  }
  return 0;
}
