// SPDX-License-Identifier: MIT
// The CSV files of rocprofv3. Which one it is, its columns tell.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/io/input.h"
#include "tools/stackcollapse-rocprof/rocprof_trace.h"

namespace aiflame::rocprof {

// Throws Error for a file that is none of those that have a use here.
void read_csv_file(ByteSource&& source, const std::string& path, const Settings& settings,
                   RocprofTrace& out);

// What the names of the files of one process have in common, with the directory: "run/238" of
// run/238_kernel_trace.csv and run/238_hip_api_trace.csv.
std::string_view file_group(std::string_view path);

}  // namespace aiflame::rocprof
