// SPDX-License-Identifier: MIT
// Reads the events of a Chrome trace, one at a time: an object with a list "traceEvents", or such a
// list itself. Lists need not be closed.
#pragma once

#include <functional>
#include <string>

#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {

// Which arguments are wanted that take time to read.
struct EventNeeds {
  bool shapes = false;  // of all operators, not of collectives alone
  bool strict = false;  // refuse what is not JSON, instead of mending it
};

// Calls take(event) for each, in their order. Warns once if the input is cut, and
// once if it has been mended. Throws Error where it
// is not a trace.
TraceFacts read_events(const std::string& path, const EventNeeds& needs,
                       const std::function<void(const Event&)>& take);

}  // namespace aiflame::trace
