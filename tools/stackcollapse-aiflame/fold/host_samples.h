// SPDX-License-Identifier: MIT
// What the threads of a program ran, by CPU samples that were recorded beside the devices: --idle
// says by them what the host did while a device waited for it.
//
//   device 0   == gemm ==|          idle, 3 us            |== add ==
//   thread     …  tokenize  tokenize  cudaLaunchKernel  sample
//                 1 us      1 us      (in the runtime)  1 us
//
// A recording says in which slice a gap ended, and how long it was, but not when. So the time of
// the gaps of a slice is shared among the samples that their thread has in it. A sample has no more
// than the time that it stands for: a thread that sleeps has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stackcollapse-aiflame/fold/frame_tables.h"

namespace aiflame::collapse {

class HostSamples {
 public:
  // `wanted`: else samples are not kept.
  HostSamples(bool wanted, const FrameTables& tables) : is_wanted_(wanted), tables_(tables) {}

  bool is_wanted() const { return is_wanted_; }
  // A sample of an event that counts time. Those of another event than the last one take the place
  // of all before it. `stack`: in FrameTables. `time`: CLOCK_MONOTONIC. `period`: what the sample
  // stands for. Both in nanoseconds.
  void add(std::string_view event, int64_t tid, uint64_t time, uint32_t stack, uint64_t period);
  // A sample of another event, or whose time is of another clock or not known: it is of no use.
  void add_useless() { ++useless_; }

  // Shares out the time of a thread in (from, to] among the stacks of its samples, but for those
  // within a call of the runtime, which is no gap of this kind. Returns what is left.
  uint64_t share(int64_t tid, uint64_t from, uint64_t to, uint64_t time,
                 const std::function<void(uint32_t stack, uint64_t time)>& give);

  // Says which part of what was asked for was shared out, and why not all of it was.
  void report() const;

 private:
  struct Sample {
    int64_t tid;
    uint64_t time, period;
    uint32_t stack;
  };
  bool is_in_runtime(uint32_t stack);
  void find(int64_t tid, uint64_t from, uint64_t to);

  // So many take 128 MB: an hour of one thread at 1 kHz.
  static constexpr size_t kMostSamples = size_t{1} << 22;

  const bool is_wanted_;
  const FrameTables& tables_;
  std::string event_;
  std::vector<Sample> samples_;
  bool is_sorted_ = true, is_full_ = false;
  std::vector<uint8_t> in_runtime_;  // by stack: 0 not known, 1 no, 2 yes
  std::vector<const Sample*> found_;
  uint64_t useless_ = 0, asked_ = 0, shared_ = 0;
};

}  // namespace aiflame::collapse
