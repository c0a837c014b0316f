// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/read_trace.h"

#include "libcommon/base/program.h"
#include "tools/stackcollapse-trace/keep/event_keeper.h"
#include "tools/stackcollapse-trace/read/event_reader.h"

namespace aiflame::trace {

Trace read_trace(const std::string& path, FrameNames& names, const TraceSettings& settings) {
  Trace trace;
  trace.path = path;
  EventKeeper keeper(trace, names, settings);
  const TraceFacts facts = read_events(path, {.shapes = settings.shapes},
                                       [&](const Event& event) { keeper.keep(event); });
  trace.rank = facts.rank;
  if (keeper.malformed() > 0)
    warn("%s: %llu events have no time, and are left out", path.c_str(),
         static_cast<unsigned long long>(keeper.malformed()));
  return trace;
}

}  // namespace aiflame::trace
