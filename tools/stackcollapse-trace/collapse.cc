// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/collapse.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-trace/fold/cpu_time.h"
#include "tools/stackcollapse-trace/fold/device_time.h"
#include "tools/stackcollapse-trace/fold/idle_time.h"
#include "tools/stackcollapse-trace/keep/event_keeper.h"
#include "tools/stackcollapse-trace/read/event_reader.h"

namespace aiflame::trace {
namespace {

Trace read_trace(const std::string& path, const TraceSettings& settings, ImportedStacks& stacks) {
  Trace trace;
  trace.path = path;
  FrameNames names(stacks, settings.import.names);
  EventKeeper keeper(trace, names, settings, stacks);
  const TraceFacts facts = read_events(path, {.shapes = settings.shapes},
                                       [&](const Event& event) { keeper.keep(event); });
  keeper.finish();
  trace.rank = facts.rank;
  if (keeper.malformed() > 0)
    warn("%s: %llu events have no time, and are left out", path.c_str(),
         static_cast<unsigned long long>(keeper.malformed()));
  return trace;
}

bool is_pytorch(const Trace& trace) {
  return std::any_of(trace.slices.begin(), trace.slices.end(), [](const Slice& slice) {
    return slice.kind == Kind::op && slice.id != kNoId;
  });
}

// Says what a user may miss in the graph, and why it is not there.
void warn_of_gaps(const Trace& trace, const TraceSettings& settings) {
  const auto has = [&](Kind kind) {
    return std::any_of(trace.slices.begin(), trace.slices.end(),
                       [&](const Slice& slice) { return slice.kind == kind; });
  };
  if (trace.work.empty() && !settings.cpu) {
    warn("%s: has no kernels, copies or memsets", trace.path.c_str());
    if (has(Kind::op)) hint("--cpu shows the time of its operators");
  } else if (is_pytorch(trace) && !has(Kind::python)) {
    hint("%s has no Python functions: record it with with_stack=True", trace.path.c_str());
  }
}

}  // namespace

void collapse(const std::string& path, const TraceSettings& settings, ImportedStacks& stacks) {
  stacks.quantity = {.event = settings.cpu ? "cpu-time" : "gpu-time",
                     .unit = std::string(kNanoseconds)};
  Trace trace = read_trace(path, settings, stacks);
  warn_of_gaps(trace, settings);
  const Nesting nesting(trace);
  if (settings.cpu) return fold_cpu_time(trace, nesting, settings, stacks);
  DeviceTime(trace, nesting, settings, stacks).fold();
  if (settings.idle) fold_idle_time(trace, nesting, settings, stacks);
}

}  // namespace aiflame::trace
