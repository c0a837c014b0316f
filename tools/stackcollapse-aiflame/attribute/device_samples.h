// SPDX-License-Identifier: MIT
// The device samples of recordings: each is joined to the launch that it belongs to, filtered, and
// counted as a line of the picture.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "libcommon/attribution/attribution.h"
#include "libcommon/recording/recording.h"
#include "libcommon/text/numbered_table.h"
#include "libcommon/timeline/work_class.h"
#include "tools/stackcollapse-aiflame/attribute/device_codes.h"
#include "tools/stackcollapse-aiflame/attribute/device_memory.h"
#include "tools/stackcollapse-aiflame/attribute/launch_tally.h"
#include "tools/stackcollapse-aiflame/attribute/perf_launches.h"
#include "tools/stackcollapse-aiflame/attribute/sample_origins.h"
#include "tools/stackcollapse-aiflame/attribute/shared_stacks.h"
#include "tools/stackcollapse-aiflame/fold/device_counts.h"
#include "tools/stackcollapse-aiflame/fold/frame_tables.h"
#include "tools/stackcollapse-aiflame/fold/host_samples.h"
#include "tools/stackcollapse-aiflame/fold/statistics.h"
#include "tools/stackcollapse-aiflame/name/known_lines.h"
#include "tools/stackcollapse-aiflame/name/process_roots.h"

namespace aiflame::collapse {

class DeviceSamples {
 public:
  DeviceSamples(const DeviceRules& rules, const SampleFilter& filter, FrameTables& tables,
                KnownLines& lines, ProcessRoots& roots, SampleOrigins& origins,
                PerfLaunches& perf_launches, HostSamples& host, DeviceCounts& counts,
                DeviceMemory& memory, bool strict);

  // Takes any record of a recording except its CPU samples, in the order of the input. Throws
  // Error("path:line: …") where one contradicts those before it.
  void take(const GpustallReader& reader, const GpustallRecord& record);
  // The input has ended, perhaps inside of a recording: gives away the samples of the open slice.
  void end_recording();
  // Warns about kernels that are drawn as one, and about recordings whose last line counts other
  // samples or launches than they have.
  void report() const;

  const RecordedTotals& totals();
  // What lines with this code (in texts) do.
  WorkClass work_class(uint32_t code) const {
    const auto other = other_work_.find(code);
    return other == other_work_.end() ? WorkClass::computation : other->second;
  }
  // The launches that pass the filters, by kernel and size.
  LaunchFacts launch_facts() { return tally_.facts(codes_.frames()); }

 private:
  struct Launch {
    uint32_t kernel = 0;  // in texts
    uint32_t stack = 0;   // CPU frames and root
    std::optional<CodePlace> start;
    bool of_driver = false;                      // it ran code of the driver, no kernel
    bool is_operation = false, is_call = false;  // what has no kernel
    WorkClass work_class = WorkClass::computation;
    uint32_t plain_stack = 0;  // without what --root asks for
    int64_t pid = 0, tid = 0;
    uint32_t device = 0, name = 0, thread = 0;  // in origins_
    uint64_t device_index = 0;
    LaunchSize size;  // of those that are counted next
  };
  // What a recording has of a device.
  struct Device {
    uint64_t busy = 0;
    bool measured = false;
    std::unordered_set<int64_t> processes;
    uint64_t classes[kWorkClasses] = {}, idle = 0;
    bool has_window = false;
    uint64_t launched = 0, placed = 0;  // kernels; those of which it is known when they ran
  };
  // Samples of one cell are apportioned between launches together. Filters and intervals are not
  // part of a cell, so they do not change which launch a sample is given to.
  struct Cell {
    uint32_t event = 0;                           // in kDeviceEvents
    uint32_t root = 0, code = 0;                  // in texts
    uint32_t device = 0, kernel = 0, thread = 0;  // in origins_
    Unnamed unnamed = Unnamed::no;                // why its instruction has no name
    bool operator==(const Cell&) const = default;
  };

  void take_end();
  void add_use();
  void take_header(const GpustallRecord& header);
  void take_launch(const GpustallRecord& sample);
  void take_launched(const GpustallRecord& launched);
  void take_wait(const GpustallRecord& sample);
  void take_waited(const GpustallRecord& waited);
  void take_allocated(const GpustallRecord& allocated);
  void take_hidden(const GpustallRecord& hidden);
  void take_idle(const GpustallRecord& idle);
  uint64_t share_host_time(const GpustallRecord& idle, const Launch& launch,
                           DeviceCounts::Line line);
  Launch& add_launch(const GpustallRecord& sample, size_t first_frame);
  uint32_t code_of(const Launch& launch);
  void give_known(uint32_t event, uint32_t code, uint64_t launch, uint64_t count);
  void take_lost(const GpustallRecord& lost);
  void take_sample(const GpustallReader& reader, const GpustallRecord& sample);
  void give(uint32_t cell, uint64_t launch, uint64_t count, How how);
  bool passes(const Cell& cell, uint64_t launch) const;
  DeviceCounts::Line line(const Cell& cell, uint64_t launch) const;
  DeviceCounts::Line presumed_line(const Cell& cell);

  const SampleFilter& filter_;
  FrameTables& tables_;
  KnownLines& lines_;
  ProcessRoots& roots_;
  SampleOrigins& origins_;
  PerfLaunches& perf_launches_;
  HostSamples& host_;
  DeviceCounts& counts_;
  DeviceMemory& memory_;
  RecordedTotals totals_;
  std::string input_;  // that is read

  Recording recording_;
  Attribution attribution_;
  SharedStacks shared_;
  DeviceCodes codes_;
  std::unordered_map<uint64_t, Launch> launches_;  // of the recording
  std::map<uint64_t, Device> devices_;             // of the recording, by index
  NumberedTable<Cell> cells_;
  LaunchTally tally_;
  std::unordered_map<uint32_t, WorkClass> other_work_;  // of codes that do not compute
  uint64_t lost_launches_ = 0;                          // of the recording
  bool lost_unknown_launches_ = false;                  // of the recording
  const bool strict_;
  std::string contradiction_;  // of the first recording that has one
  uint64_t contradictions_ = 0;
  // The time of the samples that attribution_ gives away.
  std::optional<uint64_t> time_;
};

}  // namespace aiflame::collapse
