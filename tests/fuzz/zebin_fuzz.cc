// SPDX-License-Identifier: MIT
// Reads a code object of an Intel GPU: kernels, notes, relocated debug information, and the frames
// of samples in it. IGA does not run: it crashes on such code, in a process of its own. Instead the
// input is also read as its output.
#include <cstdint>

#include "libcommon/base/program.h"
#include "libcommon/code/loops.h"
#include "libcommon/objects/intel/iga_listing.h"
#include "libcommon/objects/intel/scoreboard.h"
#include "libcommon/objects/intel/zebin.h"
#include "tests/fuzz/draw_kernels.h"
#include "tests/fuzz/libdw_leaks.h"
#include "tests/fuzz/memory_file.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_zebin_notes(bytes);
  const auto code = parse_iga_listing(bytes);
  const Scoreboard scoreboard(code);
  find_loops(scoreboard.ways());
  for (uint32_t i = 0; i < code.size(); i += 7) scoreboard.producers(i);
  file.set(bytes);
  try {
    fuzz::draw_kernels(file.path(), Zebin(ElfFile(file.path())).kernels(), 264);
  } catch (const Error&) {
  }
  return 0;
}
