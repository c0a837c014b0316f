// SPDX-License-Identifier: MIT
// How much of what was launched a profiler has recorded (pure). Profilers lose records when their
// buffers overflow, and then a device that worked all the time looks idle: one of N replays of a
// graph recorded made 99 % busy 26 %. So idle time is only told with the share of launches that
// have their kernels.
//
// Calls that copy or fill do not count: those of no bytes leave no record. A replay of a graph
// counts by its kernels: the replay of the same graph that has most of them tells how many there
// are. A replay without any may be of any graph, and counts as the mean of the others.
//
// A device may be far behind its host: what was launched last had not run when the recording ended,
// and what it would have filled is behind the device's window. So launches count up to the last one
// that has kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// A call that has to do with launches. What is launched while a process captures a graph does not
// run.
enum class LaunchCallKind : uint8_t { kernel, replay, begin_capture, end_capture };

struct LaunchRecord {
  uint64_t process = 0;
  int64_t time = 0;  // ns
  LaunchCallKind kind = LaunchCallKind::kernel;
  uint64_t kernels = 0;  // that are recorded; of a replay all work
  uint64_t graph = 0;    // of a replay: its graph; 0: not told
};

struct LaunchCoverage {
  uint64_t kernels = 0;   // recorded
  uint64_t launched = 0;  // the same, and those without a record

  // Below it no time is called idle.
  static constexpr double kLeast = 0.9;

  bool is_whole() const { return kernels >= launched; }
  bool tells_idle() const {
    return static_cast<double>(kernels) >= kLeast * static_cast<double>(launched);
  }
};

// Of a call of CUDA or HIP, by its name; nothing for other calls. Other runtimes do not name what
// they launch in a way that tells.
std::optional<LaunchCallKind> launch_kind(std::string_view call);

LaunchCoverage coverage_of(std::vector<LaunchRecord> launches);

// "1 of 32 launched kernels are recorded (3.12 %): time without records is not called idle"
std::string coverage_text(const LaunchCoverage& coverage);

}  // namespace aiflame
