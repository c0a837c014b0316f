// SPDX-License-Identifier: MIT
// Uprobes on every processor: report which thread hit one, with which registers and stack.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/gpustall-record/probes/trace_event.h"

namespace aiflame {
class EventRings;
}

namespace aiflame::record {

struct UprobeHit {
  enum class Kind { hit, fork, exec, exit, map, lost } kind = Kind::hit;
  size_t point = 0;  // the number of the point; of lost hits, that of some point of the Uprobe
  uint64_t time = 0;
  uint32_t pid = 0, tid = 0, parent = 0;
  uint64_t lost = 0;
  uint64_t result = 0;         // of a function that returns
  uint64_t arguments[4] = {};  // of one that is entered
  uint64_t sp = 0;
  std::vector<uint64_t> frames;                  // of the user-space stack, leaf first
  std::string stack;                             // the bytes from sp on; the path of a map
  std::string text;                              // what was fetched: a string …
  std::vector<uint64_t> values;                  // … or numbers
  uint64_t start = 0, end = 0, file_offset = 0;  // of a map
};

class Uprobe {
 public:
  // All points fetch nothing, one string, or an array of kValues 64-bit numbers.
  struct Place {
    std::vector<TraceEvent::Point> points;
    bool at_return = false;
    uint32_t stack_bytes = 8;  // copied of the stack
    int ring_pages = 8;        // for each processor; a hit takes some 400 bytes and the stack
    // also report the forks, execs, ends and mappings of all processes
    bool of_processes = false;
  };
  static constexpr size_t kValues = 32;

  // Needs tracefs, unless there is one point alone that fetches nothing. Throws Error, with
  // `function` and the cause. Hits are reported from enable() on.
  Uprobe(const Place& place, const char* function);
  ~Uprobe();
  Uprobe(Uprobe&&) noexcept;

  void enable();
  // The tracepoint whose hits these are; null when there is none.
  const TraceEvent* traced() const { return traced_.get(); }
  // Appends the hits that are waiting. `last`: also counts the last lost ones, which no record
  // reports.
  void drain(std::vector<UprobeHit>& out, bool last);

 private:
  void read_sample(std::string_view sample, UprobeHit& hit) const;
  void read_traced(std::string_view raw, UprobeHit& hit) const;

  std::unique_ptr<Place> place_;  // perf_event_attr points into it until the events are open
  std::unique_ptr<TraceEvent> traced_;
  std::unique_ptr<EventRings> events_;
};

}  // namespace aiflame::record
