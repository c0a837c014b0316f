// SPDX-License-Identifier: MIT
// One record of `perf script` text or gpustall(5), as perf_script.h reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace aiflame {

// Views are valid until the reader's next next().
struct PerfRecord {
  enum class Kind {
    sample,     // comm … event, frames
    recording,  // # gpustall 1
    header,     // # key : value
    mapped,     // PERF_RECORD_MMAP2: comm … time, address, size, file_offset, path
    unmapped,   // PERF_RECORD_MUNMAP: comm … time, address, size, path
    launch,     // # launch N: launch, 0 for `?`
    launched,   // # launched N COUNT BUSY: launch, count, busy
    slice,      // # slice START END
    lost,       // PERF_RECORD_LOST: comm … time, count, of_launches
    end,        // # end samples N launches N lost N
    comment,    // any other line that starts with '#'
  };

  Kind kind = Kind::comment;
  bool recorded = false;  // part of a gpustall recording; else only samples and comments occur
  uint64_t line = 0;      // number of its first line
  unsigned blanks = 0;    // blank lines in front of it, so that a writer can give them back; the
                          // one that ends a sample is the sample's
  std::string_view text;  // its first line as it stands

  std::string_view comm;
  bool has_pid = false;  // `pid/tid`; older perf prints the tid alone
  int64_t pid = 0, tid = 0;
  std::optional<uint64_t> cpu;   // [003]: the CPU, in gpustall(5) the device
  std::optional<uint64_t> time;  // nanoseconds
  std::optional<uint64_t> period;
  std::string_view event;                 // empty where the line does not tell it
  std::string_view arguments;             // of a tracepoint: `(7f2c9a3b1aaa) kernel="iterate"`
  std::vector<std::string_view> frames;   // lines, leaf first: split_frame(), parse_frame()
  std::vector<std::string_view> sources;  // with source_lines: of each frame, trimmed

  uint64_t address = 0, size = 0, file_offset = 0;
  std::string_view path;

  uint64_t launch = 0;
  std::optional<uint64_t> count;  // nothing for `?`
  std::optional<uint64_t> busy;   // nanoseconds; nothing for `-`
  bool of_launches = false;
  uint64_t start = 0, stop = 0;                       // nanoseconds
  std::optional<uint64_t> samples, launches, losses;  // of # end
  std::string_view key, value;
};

}  // namespace aiflame
