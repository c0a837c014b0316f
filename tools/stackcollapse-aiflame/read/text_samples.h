// SPDX-License-Identifier: MIT
// Counts the CPU samples of perf script text, for one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "libcommon/gpustall/gpustall_reader.h"
#include "tools/stackcollapse-aiflame/fold/cpu_samples.h"
#include "tools/stackcollapse-aiflame/name/known_lines.h"

namespace aiflame::collapse {

inline SampleOrigin origin_of(const PerfRecord& sample) {
  return {sample.comm, sample.has_pid ? std::optional<int64_t>(sample.pid) : std::nullopt,
          sample.tid, sample.time};
}

class TextSamples {
 public:
  // `each_line`: splits every line, even of samples that are known (for tests).
  TextSamples(KnownLines& lines, StackTable& stacks, CpuSamples& cpu, bool each_line)
      : lines_(lines), stacks_(stacks), cpu_(cpu), each_line_(each_line) {}

  // What became of a record.
  enum class Taken { counted, ignored, stopped };
  // Reads to the end, or up to an offset. Counts the CPU samples of plain text, and leaves every
  // other record to take_other(record): launches, comments, all of a recording. Returns how many
  // samples and other records were counted.
  template <typename TakeOther>
  uint64_t read(GpustallReader& reader, uint64_t until, const TakeOther& take_other) {
    GpustallRecord record;
    SampleText text;
    Stack stack;
    uint64_t samples = 0, lines = 0;
    while (reader.offset() < until) {
      // the lines of most samples are known, and need not be split
      if (!each_line_ && reader.peek(record, text) && !cpu_.events().is_launch(record.event)) {
        if (lines_.sample(record, text, stack, lines)) {
          reader.skip(text, lines);
          if (cpu_.take(record.event, origin_of(record))) count(record, stack);
          ++samples;
          continue;
        }
        reader.refuse();
      }
      if (!reader.next(record)) break;
      if (record.is_sample && !record.recorded && !cpu_.events().is_launch(record.event)) {
        take(record);
      } else {
        const Taken taken = take_other(record);
        if (taken == Taken::stopped) break;
        if (taken == Taken::ignored) continue;
      }
      ++samples;
    }
    return samples;
  }

  // Counts a CPU sample.
  void take(const PerfRecord& sample) {
    if (cpu_.take(sample.event, origin_of(sample))) count(sample, lines_.stack(sample, 0));
  }
  // The number of any sample's stack.
  uint32_t stack(const PerfRecord& sample) { return stacks_.number(lines_.stack(sample, 0)); }

 private:
  void count(const PerfRecord& sample, const Stack& stack) {
    const uint32_t number = stacks_.number(stack);
    if (sample.period)
      cpu_.count(number, std::max<uint64_t>(*sample.period, 1), sample.time);
    else
      cpu_.drawn().count_plain(number, sample.time);
  }

  KnownLines& lines_;
  StackTable& stacks_;
  CpuSamples& cpu_;
  const bool each_line_;
};

}  // namespace aiflame::collapse
