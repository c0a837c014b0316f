// SPDX-License-Identifier: MIT
// Reads the list of a kernel's functions: as /proc/kallsyms has it, and as a copy that perf keeps
// of it. What the copy answers must be what the list answers.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "libcommon/symbols/kallsyms.h"
#include "libcommon/symbols/kallsyms_copy.h"
#include "tests/fuzz/memory_file.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  const std::string text(reinterpret_cast<const char*>(data), size);
  file.set(text);
  Kallsyms list(text);
  KallsymsCopy copy(file.path(), file.path());
  for (int round = 0; round < 2; ++round) {
    for (unsigned shift = 0; shift < 64; ++shift) {
      for (const uint64_t near : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
        const uint64_t address = (uint64_t{1} << shift) + near;
        if (list.at(address).has_value() != list.start_of(address).has_value()) abort();
        copy.at(address);
        copy.at(copy.text() + address);
      }
    }
    list.relocate("_text", 0xffffffff81000000);
  }
  return 0;
}
