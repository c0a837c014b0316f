// SPDX-License-Identifier: MIT
// Uprobes that are defined in tracefs. The kernel fetches their arguments from the program's memory
// at the moment of the hit: the record has the value that a string had then, wherever the program
// kept it. And several probes are one perf event, which is what makes detaching fast: the kernel
// waits for all its processors, 0.1 s, each time an event with uprobes is closed. The definitions
// are visible to everybody, and need root.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aiflame::record {

class TraceEvent {
 public:
  struct Point {
    size_t number = 0;    // fetched too, as a u32 before the others
    std::string library;  // path of the file
    uint64_t offset = 0;  // in it
    // What to fetch, in the syntax of the kernel's uprobetracer.rst: "name=+0(%si):string".
    // Arguments of all points have the same names and types.
    const char* fetch = "";
  };

  // Probes the points, or the returns of the functions that begin there. Throws Error with the
  // cause.
  TraceEvent(const std::vector<Point>& points, bool at_return);
  // Removes the probes; no perf event may be open on them.
  ~TraceEvent();
  TraceEvent(const TraceEvent&) = delete;
  TraceEvent& operator=(const TraceEvent&) = delete;

  // For perf_event_attr::config, of type PERF_TYPE_TRACEPOINT.
  uint64_t id() const { return id_; }
  // Its group and name in tracefs.
  static constexpr const char* kGroup = "aiflame";
  const std::string& name() const { return name_; }

 private:
  void define(const Point& point, bool at_return);
  void remove();

  std::string directory_, name_;
  uint64_t id_ = 0;
};

}  // namespace aiflame::record
