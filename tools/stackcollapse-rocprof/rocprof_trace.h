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
  std::vector<std::unique_ptr<ProcessTrace>> processes;

  // The process of a group of files.
  ProcessTrace& process(std::string_view group);
};

// Reads CSV or JSON, told by the first byte.
void read_file(const std::string& path, const Settings& settings, RocprofTrace& out);

}  // namespace aiflame::rocprof
