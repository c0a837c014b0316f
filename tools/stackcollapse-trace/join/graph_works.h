// SPDX-License-Identifier: MIT
// What devices did in replays of graphs: a replay is one call, and has all of its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tools/stackcollapse-trace/join/launches.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

// Places in trace.work by a slice, in the order in which they ran.
using GraphWorks = std::map<uint32_t, std::vector<size_t>>;

// By the call that launched the graph.
GraphWorks works_of_graphs(const Trace& trace, const Launches& launches);

// The same by group_of(call), in one order for all calls of a group; kNoNumber: of none.
GraphWorks regrouped(const Trace& trace, const GraphWorks& works,
                     const std::function<uint32_t(uint32_t call)>& group_of);

}  // namespace aiflame::trace
