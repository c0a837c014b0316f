// SPDX-License-Identifier: MIT
// Which samples to draw, by process, thread, comm, device, kernel and time (pure). A sample is
// drawn if all given filters let it pass.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stackcollapse-aiflame/filter/time_ranges.h"

namespace aiflame::collapse {

// The options of the command line. An option that is given several times adds up its lists.
struct FilterOptions {
  std::vector<std::string> pids, tids;  // comma-separated numbers
  std::vector<std::string> comms;       // comma-separated globs
  std::vector<std::string> devices;     // comma-separated numbers and globs
  std::vector<std::string> kernels;     // comma-separated globs
  std::vector<std::string> time;        // TimeRanges; the last one counts
};

// The thread and time of a sample.
struct SampleOrigin {
  std::string_view comm;
  std::optional<int64_t> pid;  // nothing where the input has only the thread
  int64_t tid = 0;
  std::optional<uint64_t> time;  // nanoseconds
};

class SampleFilter {
 public:
  // Throws UsageError.
  explicit SampleFilter(const FilterOptions& options);

  // Whether there is any filter, or one of a kind.
  bool any() const { return of_threads() || of_devices() || !times_.all(); }
  bool of_threads() const { return !pids_.empty() || !tids_.empty() || !comms_.empty(); }
  bool of_devices() const { return !devices_.empty() || !kernels_.empty() || !numbers_.empty(); }
  bool of_times() const { return !times_.all(); }

  // A sample without the process or time that a filter needs does not pass.
  bool passes(const SampleOrigin& origin) const;
  bool passes_thread(std::string_view comm, std::optional<int64_t> pid, int64_t tid) const;
  bool passes_time(std::optional<uint64_t> time) const;
  // `description`: the value of `# device N :`, `SOURCE, NAME, …`. A glob must match NAME or all.
  bool passes_device(uint64_t index, std::string_view description) const;
  // Any of the kernel's names may match: as recorded, demangled, without parameters.
  bool passes_kernel(std::initializer_list<std::string_view> names) const;
  // Whether a sample lacks the process or time that a filter needs.
  bool lacks(const SampleOrigin& origin) const;

  // An input begins, with the times of its first and last sample, or zeros where they are not
  // known: `--time 10%/2` means a part of each input. Throws Error where they are needed.
  void begin_input(const std::string& name, uint64_t first, uint64_t last);

 private:
  std::vector<int64_t> pids_, tids_;  // sorted
  std::vector<uint64_t> numbers_;     // devices
  std::vector<std::string> comms_, devices_, kernels_;
  TimeRanges times_;
};

}  // namespace aiflame::collapse
