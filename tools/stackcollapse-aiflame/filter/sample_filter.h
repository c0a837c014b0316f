// SPDX-License-Identifier: MIT
// Which samples to draw: by process, thread, comm, device, kernel and time (pure). A sample is
// drawn when each filter that was given lets it pass.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stackcollapse-aiflame/filter/time_ranges.h"

namespace aiflame::collapse {

// Of the command line. An option that was given several times has the lists of all.
struct FilterOptions {
  std::vector<std::string> pids, tids;  // comma-separated numbers
  std::vector<std::string> comms;       // comma-separated globs
  std::vector<std::string> devices;     // comma-separated numbers and globs
  std::vector<std::string> kernels;     // comma-separated globs
  std::vector<std::string> time;        // TimeRanges; the last one holds
};

// Whose a sample is.
struct SampleOrigin {
  std::string_view comm;
  std::optional<int64_t> pid;  // nothing where the input tells the thread alone
  int64_t tid = 0;
  std::optional<uint64_t> time;  // nanoseconds
};

class SampleFilter {
 public:
  // Throws UsageError.
  explicit SampleFilter(const FilterOptions& options);

  // Has anything been asked for?
  bool any() const { return of_threads() || of_devices() || !times_.all(); }
  bool of_threads() const { return !pids_.empty() || !tids_.empty() || !comms_.empty(); }
  bool of_devices() const { return !devices_.empty() || !kernels_.empty() || !numbers_.empty(); }
  bool of_times() const { return !times_.all(); }

  // What does not tell a thing that was asked for does not pass.
  bool passes(const SampleOrigin& origin) const;
  bool passes_thread(std::string_view comm, std::optional<int64_t> pid, int64_t tid) const;
  bool passes_time(std::optional<uint64_t> time) const;
  // `description` is the value of `# device N :`, `SOURCE, NAME, …`: globs are of NAME or all.
  bool passes_device(uint64_t index, std::string_view description) const;
  // By any of its names: as recorded, demangled, without parameters.
  bool passes_kernel(std::initializer_list<std::string_view> names) const;
  // Whether a sample that fails does so for not telling its process or time.
  bool lacks(const SampleOrigin& origin) const;

  // An input begins, with the times of its first and last sample, or zeros where they are not
  // known: `--time 10%/2` means a part of each input. Throws Error where they are needed.
  void begin_input(const std::string& name, uint64_t first, uint64_t last);

 private:
  std::vector<int64_t> pids_, tids_;  // sorted
  std::vector<uint64_t> numbers_;     // of devices
  std::vector<std::string> comms_, devices_, kernels_;
  TimeRanges times_;
};

}  // namespace aiflame::collapse
