// SPDX-License-Identifier: MIT
// How often a step runs the operators of a graph, and what of it shows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/aiflame-forecast/graph.h"

namespace aiflame::forecast {

struct Schedule {
  uint64_t layers = 1;         // of the model
  uint64_t stages = 1;         // of the pipeline; they divide the layers
  uint64_t micro_batches = 1;  // that pass through it, one behind the other
};

struct ScheduledCall {
  std::string stack;
  double calls;
  Work work;
};

struct ScheduledCalls {
  std::vector<ScheduledCall> calls;
  double hidden = 0;  // nanoseconds of all-reduces beside the backward pass
};

// Nanoseconds of an operator.
using Duration = std::function<double(const Work& work)>;

// The longest way through a step, by GPipe's schedule: all micro-batches forward, then all
// backward. The first one passes all stages; each further one adds the slowest stage once more.
ScheduledCalls schedule(const Graph& graph, const Schedule& plan, const Duration& duration);

}  // namespace aiflame::forecast
