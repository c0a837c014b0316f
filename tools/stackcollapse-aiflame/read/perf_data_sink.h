// SPDX-License-Identifier: MIT
// Who counts the samples of perf.data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stackcollapse-aiflame/name/code_frames.h"
#include "tools/stackcollapse-aiflame/read/sample_filter.h"

namespace aiflame::collapse {

// A sample that is the launch of a kernel.
struct PerfDataLaunch {
  std::string_view input, event;
  SampleOrigin origin;
  bool monotonic = false;   // its time is of CLOCK_MONOTONIC
  std::string_view kernel;  // empty: not told
  uint32_t stack = 0;
};

// Numbers are the callee's own.
class PerfDataSink {
 public:
  virtual ~PerfDataSink() = default;
  // A sample of an event: is it to be drawn?
  virtual bool wants(std::string_view event) = 0;
  virtual uint32_t root(std::string_view comm, int32_t pid, int32_t tid) = 0;
  virtual bool is_java(uint32_t root) = 0;
  // The functions at an address, innermost first.
  virtual uint32_t frame(const std::vector<CodeFrame>& code, uint32_t root) = 0;
  // One that is folded already.
  virtual uint32_t frame(std::string_view folded) = 0;
  // Root, then frames, leaf first.
  virtual uint32_t stack(const std::vector<uint32_t>& items) = 0;
  virtual void count(uint32_t stack, uint64_t count, std::optional<uint64_t> time) = 0;
  // Are samples of this event launches? Then they are given to launch() alone.
  virtual bool is_launch(std::string_view event) = 0;
  virtual void launch(const PerfDataLaunch& launch) = 0;
  // Is there a filter? Then it is told the times of the first and last sample of the input, zeros
  // where the file does not have them, before it is asked about the first.
  virtual bool filters() const = 0;
  virtual void tell_whole(const std::string& input, uint64_t first, uint64_t last) = 0;
  virtual bool passes(const SampleOrigin& origin) = 0;
};

}  // namespace aiflame::collapse
