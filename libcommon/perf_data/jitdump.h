// SPDX-License-Identifier: MIT
// Reads jit-PID.dump, in which a JIT compiler describes the code that it has generated. The format
// is in the kernel's tools/perf/Documentation/jitdump-specification.txt, version 1. The profiled
// program writes it, so it is untrusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

struct JitLine {
  uint64_t offset = 0;  // from the start of the code
  std::string_view file;
  uint32_t line = 0;
};

// The call frame information of a function: .eh_frame, and behind it .eh_frame_hdr. It belongs
// right after the function's code, at the next address that 8 divides, which its relative addresses
// are about.
struct JitUnwinding {
  std::string_view bytes;
  uint64_t header_size = 0;
};

// A function that was loaded or moved to an address. Views are into the dump.
struct JitCode {
  uint64_t time = 0;  // nanoseconds of the dump's clock, usually CLOCK_MONOTONIC
  uint64_t start = 0, size = 0;
  uint64_t index = 0;  // the program's own number
  std::string_view name;
  std::vector<JitLine> lines;  // by offset
  JitUnwinding unwinding;      // empty where the program wrote none

  // The line that holds an offset, or nullptr.
  const JitLine* line_at(uint64_t offset) const;
};

class JitDump {
 public:
  // Bytes that cannot be read are a dump without code.
  explicit JitDump(std::string bytes);
  JitDump(const JitDump&) = delete;
  JitDump& operator=(const JitDump&) = delete;

  // Sorted by time.
  const std::vector<JitCode>& codes() const { return codes_; }
  // The bytes are no dump, or a damaged record ended it: not all of it was used.
  bool is_damaged() const { return damaged_; }

 private:
  void read();

  std::string bytes_;
  std::vector<JitCode> codes_;
  bool damaged_ = false;
};

// The process of `/x/jit-7.dump`: 7. For any other file name, 0.
int32_t jitdump_process(std::string_view path);

}  // namespace aiflame
