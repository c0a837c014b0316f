// SPDX-License-Identifier: MIT
// Reads symbols as text, /proc/kallsyms and /tmp/perf-PID.map, and demangles the lines as names.
#include <cstdint>
#include <string>

#include "libcommon/symbols/demangle.h"
#include "libcommon/symbols/jit_symbols.h"
#include "libcommon/symbols/kallsyms.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Kallsyms kallsyms(text);
  const JitSymbols jit(text);
  for (int round = 0; round < 2; ++round) {
    for (unsigned shift = 0; shift < 64; ++shift) {
      for (const uint64_t near : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
        kallsyms.at((uint64_t{1} << shift) + near);
        jit.at((uint64_t{1} << shift) + near);
      }
    }
    kallsyms.relocate("_text", 0xffffffff81000000);
  }
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string name = text.substr(at, end - at);
    demangle(name, false);
    demangle(name, true);
    at = end + 1;
  }
  return 0;
}
