// SPDX-License-Identifier: MIT
// Reads a code object of an NVIDIA GPU: kernels, symbols, line tables, debug information, and the
// frames of samples in it. nvdisasm does not run. Instead the input is also read as its output, as
// a line table without an object, and as bare code with its table of jumps.
#include <cstdint>

#include "libcommon/base/program.h"
#include "libcommon/code/loops.h"
#include "libcommon/objects/nvidia/cubin.h"
#include "libcommon/objects/nvidia/cubin_lines.h"
#include "libcommon/objects/nvidia/nv_info.h"
#include "libcommon/objects/nvidia/sass_code.h"
#include "libcommon/objects/nvidia/sass_listing.h"
#include "tests/fuzz/draw_kernels.h"
#include "tests/fuzz/libdw_leaks.h"
#include "tests/fuzz/memory_file.h"

using namespace aiflame;

static void read_lines(std::string_view bytes) {
  const size_t half = bytes.size() / 2;
  CubinLines lines(std::string(bytes), std::string(bytes.substr(half)));
  for (uint64_t at = 0; at < 1024; at += 48) lines.frames_at(at, "kernel", 0);
}

static void read_code(std::string_view bytes) {
  const auto jumps = indirect_jumps(bytes);
  for (const unsigned architecture : {80u, 100u}) {
    const SassCode code(bytes, architecture, jumps);
    find_loops(code.ways());
    for (uint32_t i = 0; i < code.size() && i < 64 * 7; i += 7) code.producers(i);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  parse_sass_listing(bytes, size / 16);
  read_lines(bytes);
  read_code(bytes);
  file.set(bytes);
  try {
    fuzz::draw_kernels(file.path(), Cubin(ElfFile(file.path())).kernels(), 144);
  } catch (const Error&) {
  }
  return 0;
}
