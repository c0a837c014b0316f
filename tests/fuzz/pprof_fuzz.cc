// SPDX-License-Identifier: MIT
// A pprof profile, plain.
#include <cstdint>
#include <string_view>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-pprof/collapse.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pprof::Settings settings;
  settings.labels = {"thread", ""};
  settings.drop_frames = size % 2 == 1;
  settings.import.names.lines = settings.import.names.full_names = size % 4 == 1;
  ImportedStacks stacks;
  try {
    pprof::collapse({reinterpret_cast<const char*>(data), size}, "fuzz", settings, stacks);
  } catch (const Error&) {
  }
  return 0;
}
