// SPDX-License-Identifier: MIT
// perf.data from a pipe: the bytes are the records after the header of 16 bytes, with attributes
// and features among them.
#include <cstdint>

#include "tests/fuzz/collapse_file.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static aiflame::fuzz::MemoryFile file;
  setenv("HOME", "/nonexistent", 1);
  file.set(std::string_view("PERFILE2\x10\0\0\0\0\0\0\0", 16),
           {reinterpret_cast<const char*>(data), size});
  aiflame::fuzz::collapse_file(file.path(), aiflame::fuzz::all_settings());
  return 0;
}
