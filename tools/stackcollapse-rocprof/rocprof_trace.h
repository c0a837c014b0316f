// SPDX-License-Identifier: MIT
// All files of rocprofv3 that are given together.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stackcollapse-rocprof/process_trace.h"
#include "tools/stackcollapse-rocprof/settings.h"

namespace aiflame::rocprof {

struct RocprofTrace {
  // Each takes some kilobytes, however little is known of it.
  static constexpr size_t kMostProcesses = 4096;

  std::vector<std::unique_ptr<ProcessTrace>> processes;

  // The process of a group of files.
  ProcessTrace& process(std::string_view group);
  // Another process. Throws Error if there are too many.
  ProcessTrace& add_process(std::string_view group);
};

// Reads CSV, JSON or rocpd, told by the first bytes.
void read_file(const std::string& path, const Settings& settings, RocprofTrace& out);

}  // namespace aiflame::rocprof
