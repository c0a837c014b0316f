// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/unnamed_devices.h"

#include <unordered_map>

namespace aiflame::trace {
namespace {

constexpr std::string_view kRocprofCopies = "COPY", kTimelineCopies = "/memcpy Compute";

// "GPU0"
bool is_rocprof_device(std::string_view name) {
  return name == kRocprofCopies || (name.size() > 3 && name.starts_with("GPU") &&
                                    name.find_first_not_of("0123456789", 3) == name.npos);
}

// Of TensorFlow 1. Copies have a process of their own beside that of all streams.
bool is_timeline_device(std::string_view name) {
  return name.ends_with("/stream:all Compute") || name.ends_with(kTimelineCopies);
}

}  // namespace

bool is_rocprof_host(std::string_view name) {
  return name == "CPU HIP API" || name == "CPU HSA API";
}

bool is_unnamed_device(const Trace& trace, uint32_t thread) {
  const std::string_view process = trace.threads.process_name(trace.threads.process(thread));
  return process == "Ascend Hardware" || (trace.is_rocprof && is_rocprof_device(process)) ||
         is_timeline_device(process) || trace.threads.process_text(thread) == "CUDA functions";
}

bool is_unnamed_copier(const Trace& trace, uint32_t thread) {
  const std::string_view process = trace.threads.process_name(trace.threads.process(thread));
  return (trace.is_rocprof && process == kRocprofCopies) || process.ends_with(kTimelineCopies);
}

std::vector<uint32_t> find_python_threads(const Trace& trace) {
  const Threads& threads = trace.threads;
  const auto of = [&](uint32_t thread, std::string_view process) {
    return threads.process_name(threads.process(thread)) == process;
  };
  std::unordered_map<std::string_view, uint32_t> python;
  const auto count = static_cast<uint32_t>(threads.size());
  for (uint32_t thread = 0; thread < count; ++thread)
    if (of(thread, "Python")) python.emplace(threads.thread_text(thread), thread);
  std::vector<uint32_t> out(count);
  for (uint32_t thread = 0; thread < count; ++thread) {
    const auto at = of(thread, "CANN") ? python.find(threads.thread_text(thread)) : python.end();
    out[thread] = at == python.end() ? thread : at->second;
  }
  return out;
}

}  // namespace aiflame::trace
