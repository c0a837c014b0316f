// SPDX-License-Identifier: MIT
// Reads one perf.data: decides what each sample counts, and gives it with its stack to the CPU
// samples or to the launches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "libcommon/perf_data/perf_data.h"
#include "libcommon/perf_data/perf_machine.h"
#include "libcommon/perf_data/traceevent.h"
#include "tools/stackcollapse-aiflame/attribute/perf_launches.h"
#include "tools/stackcollapse-aiflame/fold/cpu_samples.h"
#include "tools/stackcollapse-aiflame/fold/frame_tables.h"
#include "tools/stackcollapse-aiflame/fold/host_samples.h"
#include "tools/stackcollapse-aiflame/read/jit_codes.h"
#include "tools/stackcollapse-aiflame/read/perf_data_stacks.h"

namespace aiflame::collapse {

class PerfDataInput {
 public:
  // `directory` as PerfDataReader takes it.
  PerfDataInput(ByteSource&& source, const std::string& directory, const FrameRules& frames,
                SourceRules sources, const ProcessRoots& roots, SampleFilter& filter,
                FrameTables& tables, CpuSamples& cpu, PerfLaunches& launches, HostSamples& host)
      : reader_(std::move(source), directory),
        filter_(filter),
        cpu_(cpu),
        launches_(launches),
        host_(host),
        jit_codes_(machine_),
        stacks_(reader_, machine_, jit_codes_, frames, sources, roots, tables, cpu) {}

  // Reads to the end. Warns about losses.
  void read();

 private:
  void take(const PerfDataRecord& record);
  void take_sample(const PerfDataRecord& record);
  void take_values(const PerfAttribute& event, const PerfSample& sample, Space space);
  bool draws(size_t event);
  void order_launches(size_t event);
  void give(size_t event, uint64_t period, const PerfSample& sample, Space space);
  void give_host(size_t event, uint64_t weight, const PerfSample& sample);
  void give_launch(size_t event, const PerfSample& sample, Space space);
  bool passes(const PerfSample& sample);
  void begin_filter();
  TraceFormats* formats(const PerfAttribute& event, const PerfSample& sample);
  void report() const;

  PerfDataReader reader_;
  SampleFilter& filter_;
  CpuSamples& cpu_;
  PerfLaunches& launches_;
  HostSamples& host_;
  PerfMachine machine_;
  JitCodes jit_codes_;
  PerfDataStacks stacks_;
  std::unique_ptr<TraceFormats> formats_;  // made when a launch has arguments
  size_t build_ids_ = 0;                   // how many of the reader's the machine has
  bool filter_begun_ = false;              // the filter knows the times of this input
  bool stacked_ = false;                   // the sample at hand has its stack
  // Where the drawn events stand among those that were asked for; kNone: not in this input.
  size_t drawn_ = PerfEvents::kNone, drawn_launch_ = PerfEvents::kNone;
  bool chooses_ = false, chooses_launch_ = false;  // nothing before this input has chosen

  std::unordered_map<uint64_t, uint64_t> values_;  // of PERF_SAMPLE_READ, by id
  uint64_t lost_records_ = 0, lost_samples_ = 0, unknown_ = 0, guests_ = 0;
};

}  // namespace aiflame::collapse
