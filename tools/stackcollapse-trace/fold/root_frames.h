// SPDX-License-Identifier: MIT
// The frames that the user wants at the root: time, instance of a range, rank, step, stream.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/fold/host_stacks.h"
#include "tools/stackcollapse-trace/fold/root_spans.h"
#include "tools/stackcollapse-trace/keep/trace.h"
#include "tools/stackcollapse-trace/options/settings.h"

namespace aiflame::trace {

// "device 0", of a process of the trace.
std::string device_text(const Trace& trace, uint32_t device);

class RootFrames {
 public:
  RootFrames(const Trace& trace, const TraceSettings& settings, ImportedStacks& stacks);

  uint32_t stack(int64_t time, uint32_t track, const RootRanges& ranges);
  // The same of a thread of the host.
  uint32_t host_stack(int64_t time, uint32_t thread, const RootRanges& ranges) {
    return without_track(time, thread, ranges);
  }
  // The same of a whole device, by one of its tracks.
  uint32_t device_stack(int64_t time, uint32_t track, const RootRanges& ranges);
  // --root-cat: what lasted at a time on top of a stack.
  uint32_t with_spans(uint32_t stack, int64_t time) { return spans_.append_to(stack, time); }
  // The process of a thread on top of a stack, where the trace has its name.
  uint32_t with_process(uint32_t stack, uint32_t thread);

 private:
  // `thread`: of the process whose rank it is.
  uint32_t without_track(int64_t time, uint32_t thread, const RootRanges& ranges);

  const Trace& trace_;
  const TraceSettings& settings_;
  ImportedStacks& stacks_;
  RootSpans spans_;
  int64_t first_ = 0;  // the time from which times count
};

}  // namespace aiflame::trace
