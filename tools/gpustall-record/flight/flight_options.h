// SPDX-License-Identifier: MIT
// The options of the flight recorder, which have the names and the meaning that they have in
// perf-record(1): what is kept, when a part is written, and who may ask for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/base/options.h"

namespace aiflame::record {

// --control: two FIFOs, or two descriptors that the recorder has inherited.
struct ControlAddress {
  std::string commands, answers;          // paths; answers may be ""
  int commands_fd = -1, answers_fd = -1;  // instead of paths
  bool is_given() const { return !commands.empty() || commands_fd >= 0; }
};

struct FlightOptions {
  // perf's ring is some megabytes a processor; this is a minute of a busy program.
  static constexpr uint64_t kRingBytes = uint64_t{64} << 20;
  // What a ring of seconds may take at most.
  static constexpr uint64_t kMostRingBytes = uint64_t{1} << 30;
  static constexpr int64_t kDisabled = -1;

  enum class Switch { never, by_signal, by_size, by_time };

  bool overwrite = false;
  uint64_t ring_bytes = kRingBytes, ring_ns = 0;  // ring_ns 0 = any time
  Switch when = Switch::never;
  uint64_t part_bytes = 0, part_ns = 0;  // by_size, by_time
  uint64_t max_files = 0;                // 0 = all parts stay
  bool timestamps = false;               // in the names of parts
  ControlAddress control;
  int64_t delay_ms = 0;    // kDisabled: until `enable`
  uint64_t max_bytes = 0;  // of a file; 0 = any

  // Whether a recording needs anything of this room.
  bool is_on() const {
    return overwrite || when != Switch::never || timestamps || control.is_given() ||
           delay_ms != 0 || max_bytes != 0;
  }
};

// The words of the command line.
struct FlightArguments {
  bool overwrite = false, timestamps = false;
  std::string ring, switch_output, control, delay, max_size;
  std::optional<uint64_t> max_files;

  void declare(Options& options);
  // `output` as for Output. Throws UsageError.
  FlightOptions parse(const std::string& output) const;
};

}  // namespace aiflame::record
