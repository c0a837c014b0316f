// SPDX-License-Identifier: MIT
// Reads /tmp/perf-PID.map, in which a program names the code that it compiles.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "libcommon/symbols/jit_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const aiflame::JitSymbols map(std::string(reinterpret_cast<const char*>(data), size));
  for (unsigned shift = 0; shift < 64; ++shift)
    for (const uint64_t near : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
      const auto name = map.at((uint64_t{1} << shift) + near);
      if (name && (name->empty() || name->size() > size)) abort();
    }
  return 0;
}
