// SPDX-License-Identifier: MIT
// Reads gpustall(5), one record at a time.
//
// gpustall(5) is a dialect of `perf script` text. A sample looks as perf prints it, and
// PerfScriptReader reads it. Everything else is a comment line, which this reader parses:
//
//   # gpustall 1                                          a recording begins
//   # device 0 : xe, Data Center GPU Max 1550, …          a header line
//   # a 7/8 [000] 5.0: PERF_RECORD_MMAP2 7/8: [0x…        a code object appeared on the device
//   # launch 17                                           the launch of the samples that follow
//   # launched 17 1 0.009120000                           one launch, 9.12 ms of device time
//   # end samples 57 launches 1 lost 0                    the recording is whole
//
// Text outside of recordings is plain `perf script` text, so this reader takes both, in any mix.
#pragma once

#include <string>
#include <utility>

#include "libcommon/gpustall/gpustall_record.h"
#include "libcommon/io/input.h"
#include "libcommon/perf_script/perf_script.h"

namespace aiflame {

inline constexpr ScriptDialect kGpustallDialect = {"gpustall", "# gpustall ", "# gpustall 1",
                                                   "gpu-"};

class GpustallReader : public PerfScriptReader {
 public:
  // `source_lines`: outside of recordings, each frame is followed by a line of its own (perf script
  // -F +srcline).
  explicit GpustallReader(const std::string& path, bool source_lines = false)
      : PerfScriptReader(path, source_lines, &kGpustallDialect) {}
  explicit GpustallReader(ByteSource&& source, bool source_lines = false)
      : PerfScriptReader(std::move(source), source_lines, &kGpustallDialect) {}
  // Reads only blocks that another reader has cut().
  GpustallReader() : PerfScriptReader(&kGpustallDialect) {}

  // False at the end. Throws Error("path:line: …") where a recording is malformed, or the input is
  // perf.data.
  [[nodiscard]] bool next(GpustallRecord& record) {
    if (!PerfScriptReader::next(record)) return false;
    if (record.is_sample)
      record.kind = GpustallRecord::Kind::sample;
    else
      read_comment(record);
    return true;
  }

 private:
  void read_comment(GpustallRecord& record);
};

}  // namespace aiflame
