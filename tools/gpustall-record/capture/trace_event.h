// SPDX-License-Identifier: MIT
// A uprobe whose arguments the kernel fetches from the program's memory at the moment of the hit.
// So the record has the value that a string had then, wherever the program kept it. Such a probe is
// defined in tracefs, is visible to everybody, and needs root.
#pragma once

#include <cstdint>
#include <string>

namespace aiflame::record {

class TraceEvent {
 public:
  // Defines a probe at `offset` in the file `library`. `fetch` is in the syntax of the kernel's
  // uprobetracer.rst: "name=+0(%si):string". Throws Error with the cause.
  TraceEvent(const std::string& library, uint64_t offset, const char* fetch);
  // Removes the probe; no perf event may be open on it.
  ~TraceEvent();
  TraceEvent(const TraceEvent&) = delete;
  TraceEvent& operator=(const TraceEvent&) = delete;

  // For perf_event_attr::config, of type PERF_TYPE_TRACEPOINT.
  uint64_t id() const { return id_; }

 private:
  std::string directory_, name_;
  uint64_t id_ = 0;
};

}  // namespace aiflame::record
