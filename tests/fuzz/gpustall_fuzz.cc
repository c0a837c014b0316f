// SPDX-License-Identifier: MIT
// gpustall(5): the bytes follow `# gpustall 1`, so all of them are inside a recording.
#include <cstdint>

#include "tests/fuzz/collapse_file.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static aiflame::fuzz::MemoryFile file;
  file.set("# gpustall 1\n", {reinterpret_cast<const char*>(data), size});
  aiflame::collapse::Settings settings = aiflame::fuzz::all_settings();
  settings.cpu = size % 2 == 0;
  if (size % 3 == 0) settings.event = "gpu-time";
  aiflame::fuzz::collapse_file(file.path(), settings);
  return 0;
}
