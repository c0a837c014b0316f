// SPDX-License-Identifier: MIT
// Which of the installed sources is recorded.
#pragma once

#include <memory>
#include <string>

#include "tools/gpustall-record/capture/source_host.h"
#include "tools/gpustall-record/record.h"

namespace aiflame::record {

struct Choice {
  std::unique_ptr<Source> source;
  std::string obstacle;  // why there will be no samples; empty when there will
};

// The source `wanted`, or the first that has a device. Where none has one, a command's launches
// and their device time are still worth recording: then the first source whose agent tells of them.
// Throws Error.
Choice choose_source(const std::string& wanted, const RecordOptions& options);

// "opencl-cpu   the CPU as OpenCL device …" with its devices, or the reason it has none, below.
int list_sources(const RecordOptions& options);

}  // namespace aiflame::record
