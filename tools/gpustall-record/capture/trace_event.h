// SPDX-License-Identifier: MIT
// A uprobe that fetches arguments from the program's memory when it is hit, by the kernel's own
// hand: a string in a probe's record is what it was at that moment, wherever the program had it.
// Such probes are defined in tracefs, for all to see, and need root.
#pragma once

#include <cstdint>
#include <string>

namespace aiflame::record {

class TraceEvent {
 public:
  // At `offset` in the file `library`; `fetch` as in the kernel's uprobetracer.rst,
  // "name=+0(%si):string". Throws Error with the cause.
  TraceEvent(const std::string& library, uint64_t offset, const char* fetch);
  // Takes it away; no perf event may be open on it.
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
