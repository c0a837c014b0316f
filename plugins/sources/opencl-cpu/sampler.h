// SPDX-License-Identifier: MIT
// Time samples of threads, and the mappings that they run in, from perf events. The only user of
// libperf among the plugins.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace aiflame::source::opencl_cpu {

// What to open.
struct SamplerTarget {
  enum class Kind { command, process, system } kind = Kind::command;
  pid_t pid = 0;
  uint64_t period_ns = 1000000;
};

struct SamplerEvent {
  enum class Kind { sample, map, comm, exec, fork, exit, lost } kind = Kind::sample;
  uint64_t time = 0;  // CLOCK_MONOTONIC ns
  uint32_t pid = 0, tid = 0;
  uint64_t address = 0;      // of a sample; first address of a map
  uint64_t bytes = 0;        // of a map
  uint64_t file_offset = 0;  // of a map
  uint64_t count = 0;        // lost records; UINT64_MAX = unknown how many
  uint32_t parent = 0;       // pid, of a fork
  std::string text;          // path of a map, comm
};

class Sampler {
 public:
  // Throws Error with the cause and the remedy.
  explicit Sampler(const SamplerTarget& target);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Hands over what was recorded, ordered by time over all processors. Records of the last
  // millisecond wait for the next call, as older ones of another processor may still come, unless
  // `all`.
  void read(const std::function<void(const SamplerEvent&)>& sink, bool all);
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The threads of a process, sorted; none when there is no such process.
std::vector<pid_t> threads_of(pid_t pid);

// Whether such events can be opened here at all; the reason when not.
std::string sampler_obstacle();

}  // namespace aiflame::source::opencl_cpu
