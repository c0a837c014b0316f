// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/rocprof_trace.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "tools/stackcollapse-rocprof/csv_file.h"
#include "tools/stackcollapse-rocprof/json_file.h"
#include "tools/stackcollapse-rocprof/rocpd_file.h"

namespace aiflame::rocprof {

ProcessTrace& RocprofTrace::process(std::string_view group) {
  const auto known = std::find_if(processes.begin(), processes.end(),
                                  [&](const auto& one) { return one->group == group; });
  return known != processes.end() ? **known : add_process(group);
}

ProcessTrace& RocprofTrace::add_process(std::string_view group) {
  if (processes.size() == kMostProcesses)
    throw Error(format("the files have more than %zu processes", kMostProcesses));
  return *processes.emplace_back(std::make_unique<ProcessTrace>(std::string(group)));
}

void read_file(const std::string& path, const Settings& settings, RocprofTrace& out) {
  ByteSource source(path);
  const std::string_view begin = source.peek(64);
  if (begin.starts_with("SQLite format 3")) return read_rocpd_file(path, out);
  const size_t first = begin.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (begin[first] == '{' || begin[first] == '['))
    read_json_file(std::move(source), settings, out);
  else
    read_csv_file(std::move(source), path, settings, out);
}

}  // namespace aiflame::rocprof
