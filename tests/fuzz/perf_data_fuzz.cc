// SPDX-License-Identifier: MIT
// perf.data as a file: header, attributes, features and records.
#include <cstdint>

#include "tests/fuzz/collapse_file.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static aiflame::fuzz::MemoryFile file;
  setenv("HOME", "/nonexistent", 1);  // no build-id cache: the same input, the same work
  file.set({reinterpret_cast<const char*>(data), size});
  aiflame::fuzz::collapse_file(file.path(), aiflame::fuzz::all_settings());
  return 0;
}
