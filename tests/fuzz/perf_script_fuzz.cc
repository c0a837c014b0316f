// SPDX-License-Identifier: MIT
// Any bytes as input of stackcollapse-aiflame: `perf script` text, one or more recordings,
// compressed input.
#include <cstdint>

#include "tests/fuzz/collapse_file.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static aiflame::fuzz::MemoryFile file;
  file.set({reinterpret_cast<const char*>(data), size});
  aiflame::collapse::Settings settings = aiflame::fuzz::all_settings();
  settings.sources.lines = size % 5 == 0;
  settings.cpu = size % 2 == 0;
  aiflame::fuzz::collapse_file(file.path(), settings);
  return 0;
}
