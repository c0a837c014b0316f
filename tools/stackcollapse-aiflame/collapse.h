// SPDX-License-Identifier: MIT
// The whole way of a sample: inputs in, folded text and statistics out. The stages are classes of
// their own; this one puts them together and passes each input to the reader of its format.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcommon/base/output.h"
#include "tools/stackcollapse-aiflame/attribute/device_samples.h"
#include "tools/stackcollapse-aiflame/attribute/perf_launches.h"
#include "tools/stackcollapse-aiflame/fold/cpu_samples.h"
#include "tools/stackcollapse-aiflame/fold/device_counts.h"
#include "tools/stackcollapse-aiflame/fold/frame_tables.h"
#include "tools/stackcollapse-aiflame/fold/host_samples.h"
#include "tools/stackcollapse-aiflame/fold/launch_samples.h"
#include "tools/stackcollapse-aiflame/fold/statistics.h"
#include "tools/stackcollapse-aiflame/name/known_lines.h"
#include "tools/stackcollapse-aiflame/name/text_frames.h"
#include "tools/stackcollapse-aiflame/read/perf_data_input.h"
#include "tools/stackcollapse-aiflame/read/text_input.h"
#include "tools/stackcollapse-aiflame/settings.h"
#include "tools/stackcollapse-aiflame/write/stack_writer.h"

namespace aiflame::collapse {

class Collapse {
 public:
  explicit Collapse(Settings settings);

  // Reads all inputs to their ends. Inputs that begin as recordings are read last, since the others
  // may contain their launches.
  void read_all(const std::vector<std::string>& paths);
  void read(const std::string& path) { read_all({path}); }
  // After the last input: chooses the event, writes folded(5).
  void write(Output& out);
  // Valid after write().
  const Statistics& statistics() const { return statistics_; }

 private:
  void check_windows() const;
  void check_memory() const;
  void check_ranges(const RangeRoots& ranges) const;
  [[nodiscard]] uint64_t add_times(StackWriter& writer);
  void read_source(ByteSource&& source);
  // `directory` as PerfDataReader takes it.
  void read_perf_data(ByteSource&& source, const std::string& directory);

  const Settings settings_;
  SampleFilter filter_;
  FrameTables tables_;
  TextFrames text_frames_;
  ProcessRoots roots_;
  KnownLines lines_;
  // counts
  CpuSamples cpu_;
  LaunchSamples launch_samples_;
  HostSamples host_samples_;
  DeviceCounts device_counts_;
  // attribution
  SampleOrigins origins_;
  PerfLaunches launches_;
  DeviceMemory memory_;
  DeviceSamples device_;
  // inputs
  const TextRules text_rules_;
  TextInput text_;
  std::unique_ptr<PerfDataInput> perf_data_;  // the latest; main() never destroys it
  Statistics statistics_;
};

}  // namespace aiflame::collapse
