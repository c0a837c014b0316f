// SPDX-License-Identifier: MIT
// Reads perf script text in several threads.
//
// Each thread takes the next piece of the text, folds it by the cache of lines that all threads
// share, and counts into tables of its own. The sums do not depend on which thread counted what.
// Two things do depend on the order of the text:
//   * a line that changes how the lines after it are read: all pieces are given up, and one thread
//     reads the text again;
//   * launches: they are kept with their line numbers and sorted when the threads are done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/gpustall/gpustall_reader.h"
#include "libcommon/perf_script/frame_names.h"
#include "tools/stackcollapse-aiflame/fold/cpu_samples.h"
#include "tools/stackcollapse-aiflame/fold/frame_tables.h"
#include "tools/stackcollapse-aiflame/name/known_lines.h"

namespace aiflame::collapse {

struct TextRules {
  FrameRules frames;
  SourceRules sources;
  TimeStep by_time;
  bool each_line = false;  // TextSamples
  unsigned threads = 0;    // 0: as many as there are processors
  bool strict = false;     // malformed lines are errors
};

// A launch that a thread has read.
struct TextLaunch {
  uint64_t line = 0;
  std::string event, comm, kernel;
  std::optional<int64_t> pid;
  int64_t tid = 0;
  std::optional<uint64_t> time;
  uint32_t stack = 0;
};

class TextThreads {
 public:
  TextThreads(const TextRules& rules, const SampleFilter& filter, FrameTables& tables,
              KnownLines& lines, CpuSamples& cpu)
      : rules_(rules), filter_(filter), tables_(tables), lines_(lines), cpu_(cpu) {}

  // Reads as much as threads can read, and leaves the reader after it. Returns the number of
  // samples. Adds the launches in the order of the text.
  uint64_t read(GpustallReader& reader, size_t threads, std::vector<TextLaunch>& launches);
  // The number of threads to call read() with.
  size_t threads() const;

 private:
  const TextRules& rules_;
  const SampleFilter& filter_;
  FrameTables& tables_;
  KnownLines& lines_;
  CpuSamples& cpu_;
};

}  // namespace aiflame::collapse
