// SPDX-License-Identifier: MIT
// Launches that perf has recorded (a probe on the launch function), joined to the slices of a
// recording that does not know its launches itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/attribution/attribution.h"
#include "libcommon/attribution/launch_timeline.h"
#include "libcommon/recording/recording.h"
#include "tools/stackcollapse-aiflame/attribute/sample_origins.h"
#include "tools/stackcollapse-aiflame/fold/cpu_samples.h"
#include "tools/stackcollapse-aiflame/fold/launch_samples.h"

namespace aiflame::collapse {

// A sample that is the launch of a kernel.
struct PerfLaunch {
  std::string_view input, event;
  SampleOrigin origin;
  bool monotonic = false;   // its time is of CLOCK_MONOTONIC
  std::string_view kernel;  // the probe's argument, empty where it has none
  uint32_t stack = 0;
};

class PerfLaunches {
 public:
  PerfLaunches(const SampleFilter& filter, const CpuSamples& cpu, LaunchSamples& samples,
               SampleOrigins& origins, TextTable& texts)
      : filter_(filter), cpu_(cpu), samples_(samples), origins_(origins), texts_(texts) {}

  void take(const PerfLaunch& launch);
  // The launches as samples of events.
  LaunchSamples& samples() { return samples_; }

  // A slice of a recording begins: hands the launches of that time to `attribution`. Launches
  // between the preceding slice and this one count as launched earlier. Warns once about launches
  // without a time.
  void begin_slice(Attribution& attribution, uint64_t from, uint64_t to);
  // Before the first device sample of a recording without slices.
  void begin_whole(Attribution& attribution) {
    if (!sliced_) begin_slice(attribution, 0, UINT64_MAX);
  }
  void end_recording();

  // Launches are known to `attribution` by numbers that no recording has.
  static bool has(uint64_t launch) { return launch > Recording::kMaxLaunch; }
  uint32_t stack(uint64_t launch) const { return at(launch).stack; }
  bool passes_thread(uint64_t launch) const {
    return !filter_.of_threads() || origins_.passes(at(launch).thread);
  }

 private:
  static constexpr uint64_t kFirst = Recording::kMaxLaunch + 1;
  const LaunchTimeline::Launch& at(uint64_t launch) const {
    return timeline_.launches()[launch - kFirst];
  }
  void give(Attribution& attribution, uint32_t number, uint64_t count, Witness witness) const;

  const SampleFilter& filter_;
  const CpuSamples& cpu_;
  LaunchSamples& samples_;
  SampleOrigins& origins_;
  TextTable& texts_;
  LaunchTimeline timeline_;
  std::string timeless_;  // the first input with launches without a time
  bool warned_ = false;   // of that
  bool sliced_ = false;   // the recording has had a slice
  uint64_t given_ = 0;    // launches before this time were handed over
};

}  // namespace aiflame::collapse
