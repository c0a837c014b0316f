// SPDX-License-Identifier: MIT
// How much of what was launched a profiler has recorded (pure). Profilers lose records when their
// buffers overflow, and then a device that worked all the time looks idle: one of N replays of a
// graph recorded made 99 % busy 26 %. So idle time is only told with the share of launches that
// have their kernels.
//
// Calls that copy or fill do not count: those of no bytes leave no record. A replay of a graph
// counts by its kernels: the replay of the same graph that has most of them tells how many there
// are. A replay without any may be of any graph, and counts as the mean of the others.
#pragma once

#include <cstdint>
#include <string>

namespace aiflame {

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

// Counts the launches of a profile.
class CoverageCount {
 public:
  void add_launch(bool recorded) {
    ++sum_.launched;
    if (recorded) ++sum_.kernels;
  }
  // A replay of a graph, and the kernels of the graph's fullest replay.
  void add_replay(uint64_t kernels, uint64_t fullest) {
    if (kernels == 0) {
      ++empty_replays_;
      return;
    }
    ++replays_;
    replayed_ += fullest;
    sum_.kernels += kernels;
    sum_.launched += fullest;
  }
  LaunchCoverage sum() const;

 private:
  LaunchCoverage sum_;
  uint64_t empty_replays_ = 0, replays_ = 0;
  uint64_t replayed_ = 0;  // kernels of replays
};

// "1 of 32 launched kernels are recorded (3.12 %): time without records is not called idle"
std::string coverage_text(const LaunchCoverage& coverage);

}  // namespace aiflame
