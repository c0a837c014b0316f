// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/schedule.h"

#include <algorithm>
#include <array>

namespace aiflame::forecast {
namespace {

// The first stage of a pipeline has the head of the model, the last one its tail, each its share of
// the layers; at the border of two stages the one sends to the other.
enum class Place { head, layer, tail, border };
using OfPlaces = std::array<double, 4>;

Place place_of(const GraphNode& node, const Work& work) {
  if (work.family == Family::collective && !work.reduces) return Place::border;
  return node.part == Part::head    ? Place::head
         : node.part == Part::layer ? Place::layer
                                    : Place::tail;
}

struct Placed {
  GraphCall call;
  Place place;
};

// Gradients are reduced beside the backward pass.
bool is_beside(const Placed& one) {
  return one.call.stack.find(";ALLREDUCE_ASYNC ") != std::string::npos;
}

// How often each place runs in one direction.
OfPlaces calls_of(const Schedule& plan, const OfPlaces& time, bool forward) {
  const double layers = static_cast<double>(plan.layers), stages = static_cast<double>(plan.stages);
  const double more = static_cast<double>(plan.micro_batches - 1);
  const auto at = [&](Place place) { return time[static_cast<size_t>(place)]; };
  OfPlaces out{};
  const auto calls = [&](Place place) -> double& { return out[static_cast<size_t>(place)]; };
  calls(Place::head) = calls(Place::tail) = 1;
  calls(Place::layer) = layers;
  // without stages, a graph's sends are sent as it says
  calls(Place::border) = plan.stages > 1 ? stages - 1 : 1;
  if (plan.stages == 1) {
    for (double& one : out) one *= 1 + more;
    return out;
  }
  calls(Place::layer) += more * layers / stages;
  // the first stage has the head, the last one the tail; all but the last of a direction send
  const double first = at(Place::head) + (forward ? at(Place::border) : 0);
  const double last = at(Place::tail) + (forward ? 0 : at(Place::border));
  const bool first_is_slowest = first >= last;
  calls(first_is_slowest ? Place::head : Place::tail) += more;
  if (first_is_slowest == forward) calls(Place::border) += more;
  return out;
}

// Gradients are reduced once a step, each stage those of its layers.
OfPlaces calls_beside(const Schedule& plan) {
  OfPlaces out;
  out.fill(1);
  out[static_cast<size_t>(Place::layer)] =
      static_cast<double>(plan.layers) / static_cast<double>(plan.stages);
  return out;
}

// What is longer than the backward pass shows, the rest is hidden. Returns the hidden nanoseconds.
double hide(std::vector<ScheduledCall>& calls, const std::vector<Placed>& placed,
            const Duration& duration) {
  double reducing = 0, computing = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    const double time = calls[i].calls * duration(calls[i].work);
    if (is_beside(placed[i]))
      reducing += time;
    else if (placed[i].call.pass == Pass::backward)
      computing += time;
  }
  if (reducing == 0) return 0;
  const double hidden = std::min(reducing, computing);
  for (size_t i = 0; i < calls.size(); ++i)
    if (is_beside(placed[i])) calls[i].calls *= 1 - hidden / reducing;
  return hidden;
}

}  // namespace

ScheduledCalls schedule(const Graph& graph, const Schedule& plan, const Duration& duration) {
  std::vector<Placed> placed;
  for (const GraphNode& node : graph.nodes)
    for (GraphCall& call : calls_of(node)) {
      const Place place = place_of(node, call.work);
      placed.push_back({std::move(call), place});
    }
  OfPlaces forward{}, backward{};
  for (const Placed& one : placed)
    if (!is_beside(one))
      (one.call.pass == Pass::forward ? forward : backward)[static_cast<size_t>(one.place)] +=
          duration(one.call.work);
  const auto calls_forward = calls_of(plan, forward, true);
  const auto calls_backward = calls_of(plan, backward, false);
  const auto beside = calls_beside(plan);
  ScheduledCalls out;
  for (const Placed& one : placed) {
    const auto& calls = is_beside(one)                   ? beside
                        : one.call.pass == Pass::forward ? calls_forward
                                                         : calls_backward;
    out.calls.push_back({one.call.stack, calls[static_cast<size_t>(one.place)], one.call.work});
  }
  out.hidden = hide(out.calls, placed, duration);
  return out;
}

}  // namespace aiflame::forecast
