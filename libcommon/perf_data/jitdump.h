// SPDX-License-Identifier: MIT
// What a program's compiler at run time writes down of its code, jit-PID.dump: the format of the
// kernel's tools/perf/Documentation/jitdump-specification.txt, version 1. Written by the profiled
// program: nothing in it is believed.
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

// A function, loaded or moved to a place. Views are into the dump.
struct JitCode {
  uint64_t time = 0;  // nanoseconds of the dump's clock, CLOCK_MONOTONIC as a rule
  uint64_t start = 0, size = 0;
  uint64_t index = 0;  // the program's own number
  std::string_view name;
  std::vector<JitLine> lines;  // by offset

  // The line that holds an offset, or nullptr.
  const JitLine* line_at(uint64_t offset) const;
};

class JitDump {
 public:
  // What cannot be read is a dump without code.
  explicit JitDump(std::string bytes);
  JitDump(const JitDump&) = delete;
  JitDump& operator=(const JitDump&) = delete;

  // In the order of their times.
  const std::vector<JitCode>& codes() const { return codes_; }
  // The dump is none, or broken off by a record that is none: not all of it was used.
  bool is_damaged() const { return damaged_; }

 private:
  void read();

  std::string bytes_;
  std::vector<JitCode> codes_;
  bool damaged_ = false;
};

// The process of `/x/jit-7.dump`: 7. Of another file 0.
int32_t jitdump_process(std::string_view path);

}  // namespace aiflame
