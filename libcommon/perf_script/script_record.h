// SPDX-License-Identifier: MIT
// One record of `perf script` text: a sample or a comment line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace aiflame {

// Views are valid until the reader's next next().
struct PerfRecord {
  bool is_sample = false;  // else a line that starts with '#', of which only `text` is set
  bool recorded = false;   // part of a dialect's recording (ScriptDialect)
  uint64_t line = 0;       // number of its first line
  unsigned blanks = 0;     // preceding blank lines, so that a writer can reproduce them; the
                           // one that ends a sample belongs to the sample
  std::string_view text;   // its first line, unchanged

  std::string_view comm;
  bool has_pid = false;  // `pid/tid`; older perf prints the tid alone, -F -tid none: -1
  int64_t pid = 0, tid = 0;
  std::optional<uint64_t> cpu;   // [003]: the CPU; in gpustall(5) the device
  std::optional<uint64_t> time;  // nanoseconds
  std::optional<uint64_t> period;
  std::string_view event;                 // empty where the line has none
  std::string_view passed_over;           // the first column that is not known, or empty
  std::string_view arguments;             // of a tracepoint: `(7f2c9a3b1aaa) kernel="iterate"`
  std::vector<std::string_view> frames;   // lines, leaf first: split_frame(), parse_frame()
  std::vector<std::string_view> sources;  // with source_lines: of each frame, trimmed
};

}  // namespace aiflame
