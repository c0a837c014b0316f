// SPDX-License-Identifier: MIT
// What was read, drawn and left out, as a line for people and as JSON.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libcommon/objects/mnemonic.h"
#include "libcommon/timeline/launch_coverage.h"
#include "libcommon/timeline/work_class.h"

namespace aiflame::collapse {

struct EventCounts {
  uint64_t samples = 0;  // of gpu-time: nanoseconds
  // Together: samples.
  uint64_t exact = 0, apportioned = 0, presumed = 0, unattributed = 0, filtered = 0;
  uint64_t by_number = 0;  // of the apportioned ones: by the number of launches, not by their time
  // By Unnamed: samples that are drawn, by why they lack the mnemonic of their instruction.
  std::array<uint64_t, kUnnamedReasons> unnamed{};
};

// How long a device was used, in nanoseconds. The launches of several processes, and of several
// queues, overlap, so that they may take longer than was recorded.
struct DeviceUse {
  uint64_t busy = 0, recorded = 0;
  size_t processes = 0;   // that launched something on it; of several recordings, the most
  bool measured = false;  // some launch has a time
  // Of its window, from its first work to its last: what it did, by WorkClass, and what it did not.
  uint64_t classes[kWorkClasses] = {}, idle = 0;
  bool has_window = false;    // the recording tells when it was idle
  LaunchCoverage coverage{};  // of launches of kernels: those of which it is known when they ran
};

// What the recordings say, all of them together.
struct RecordedTotals {
  std::map<uint64_t, DeviceUse> devices{};  // by index
  bool busy_measured = false;
  bool lost_unknown = false, lost_launches_unknown = false;  // `lost ?`: and more
  uint64_t lost = 0, lost_launches = 0;
  uint64_t launches = 0, waits = 0;
  // Of device memory: what is recorded, lost, and the blocks that are drawn.
  uint64_t allocations = 0, frees = 0, lost_memory = 0, blocks = 0;
  bool lost_memory_unknown = false;
  uint64_t busy = 0, recorded = 0;  // nanoseconds, of all devices together
};

struct Statistics : RecordedTotals {
  std::string drawn;                          // the event that is drawn
  std::map<std::string, EventCounts> device;  // gpu-stall, gpu-clock, gpu-time
  std::map<std::string, uint64_t> cpu;        // samples of each CPU event; "": event not known
  std::string cpu_event;                      // of several PMUs: their names with a plus
  size_t pmus = 0;                            // that have it, where they are several
  bool chosen = false;                        // --event chose `drawn`
  std::string asked;                          // what --event says
  bool cpu_drawn = false;                     // --cpu draws `cpu_event` too
  std::string unit;                           // of the counts that are drawn; empty: unknown
  // --cpu: as how much time a device sample is drawn, and the longest; 0: no sample is
  double sample_ns = 0, longest_sample_ns = 0;
  bool filtering = false;      // a filter was given
  uint64_t cpu_filtered = 0;   // samples of `cpu_event` that it left out
  uint64_t incomplete = 0;     // of these, the samples that lack their process or time
  bool tells_windows = false;  // --idle or --exposed draws gpu-time
  uint64_t ran_beside = 0;     // --idle: ns of work that ran beside other work

  bool has_device_events() const { return !device.empty(); }
  // "gpu-stall: 57 samples: 57 exact, 0 apportioned, 0 unattributed, 0 lost; device busy …", or
  // "cpu-clock: 300 samples; device busy …"
  std::string line() const;
  std::string json() const;
  // Those of the CPU event, filtered out or not.
  uint64_t cpu_samples() const;
  // "300 samples; 4 device samples lost", of the CPU event.
  std::string cpu_line() const;
  // "12 of 300 samples filtered out", of the CPU event.
  std::string filter_line() const;
  // "5.859 KiB in 3 blocks; 48 allocations, 45 frees, 0 lost"
  std::string memory_line(const EventCounts& counts) const;
  // "; device busy 0.009 s of 0.020 s (45.0 %)", or empty where it was not measured.
  std::string busy_line() const;
  // With tells_windows: how each device spent its window, and how many of its launches are known.
  std::vector<std::string> window_lines() const;
  // "12 gpu-clock, 300 cycles", or empty.
  std::string not_drawn() const;
};

}  // namespace aiflame::collapse
