// SPDX-License-Identifier: MIT
// Reads an input that is text: `perf script` text, gpustall(5) recordings, or both in any order.
// Short text is read by one thread, long text by several (text_threads.h), recordings by one.
#pragma once

#include <cstdint>
#include <vector>

#include "libcommon/gpustall/gpustall_reader.h"
#include "tools/stackcollapse-aiflame/attribute/device_samples.h"
#include "tools/stackcollapse-aiflame/attribute/perf_launches.h"
#include "tools/stackcollapse-aiflame/read/text_samples.h"
#include "tools/stackcollapse-aiflame/read/text_threads.h"

namespace aiflame::collapse {

class TextInput {
 public:
  TextInput(const TextRules& rules, SampleFilter& filter, FrameTables& tables, KnownLines& lines,
            CpuSamples& cpu, PerfLaunches& launches, DeviceSamples& device)
      : rules_(rules),
        filter_(filter),
        cpu_(cpu),
        launches_(launches),
        device_(device),
        samples_(lines, tables.stacks, cpu, rules.each_line),
        threads_(rules, filter, tables, lines, cpu) {}

  // Reads to the end. Warns of recordings that are cut short and of unknown lines. Throws
  // Error("path:line: …") where a recording is malformed or all lines are unknown.
  void read(ByteSource&& source);

 private:
  uint64_t read_alone(GpustallReader& reader, uint64_t until);
  uint64_t read_in_threads(GpustallReader& reader);
  void take_recorded(const GpustallReader& reader, const GpustallRecord& record);
  void take_launch(const GpustallReader& reader, const GpustallRecord& sample);
  void take_launch(const GpustallReader& reader, std::string_view event, const SampleOrigin& origin,
                   std::string_view kernel, uint32_t stack);

  const TextRules& rules_;
  SampleFilter& filter_;
  CpuSamples& cpu_;
  PerfLaunches& launches_;
  DeviceSamples& device_;
  TextSamples samples_;
  TextThreads threads_;
  bool monotonic_ = false;  // the text says that its clock is CLOCK_MONOTONIC
};

}  // namespace aiflame::collapse
