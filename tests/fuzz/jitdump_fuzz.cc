// SPDX-License-Identifier: MIT
// jit-PID.dump, in which a program describes the code that it compiles.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "libcommon/perf_data/jitdump.h"
#include "libcommon/symbols/call_frames.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const aiflame::JitDump dump(bytes);
  uint64_t before = 0;
  for (const aiflame::JitCode& code : dump.codes()) {
    if (code.time < before || code.size == 0 || code.name.size() > size) abort();
    before = code.time;
    const aiflame::JitLine* line = code.line_at(code.size - 1);
    if (line != nullptr && line->file.size() > size) abort();
    // its call frame information, at a few of its addresses
    if (code.unwinding.bytes.size() > size) abort();
    aiflame::CallFrames frames(code.unwinding.bytes, code.unwinding.header_size, code.size);
    for (const uint64_t at : {uint64_t{0}, code.size / 2, code.size - 1}) frames.rule_at(at);
  }
  return 0;
}
