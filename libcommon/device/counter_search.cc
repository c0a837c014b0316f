// SPDX-License-Identifier: MIT
#include "libcommon/device/counter_search.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace aiflame {
namespace {

// Instructions and ways that are visited for one answer. Kernels have a few thousand instructions,
// and what is waited for is seldom more than a few hundred away.
constexpr size_t kMaxSteps = size_t{1} << 16;

// The largest counters have 6 bits: where one is full, the hardware issues no more.
constexpr uint8_t kMostCounted = 63;

// Calls that a way goes into and has not left, at most.
constexpr unsigned kMaxDepth = 16;

class Search {
 public:
  Search(const FlowGraph& flow, const std::function<CounterUse(uint32_t)>& use)
      : flow_(flow), use_(use) {}

  std::vector<uint32_t> run(uint32_t index, uint8_t leaves) {
    visit_predecessors({index, 0, leaves, kMostCounted});
    while (!open_.empty() && steps_ < kMaxSteps) {
      const Step step = open_.back();
      open_.pop_back();
      if (!pass(step, leaves)) return {};
    }
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  struct Step {
    uint32_t index;
    uint32_t inside;        // the calls that the way went into, from below: a number in calls_
    uint8_t younger, room;  // to be passed over; counted and perhaps not over, those included
  };
  struct Call {
    uint32_t outer = 0;  // a number in calls_
    uint32_t index = 0;
    unsigned depth = 0;
  };

  // False where it cannot be known what is left.
  bool pass(Step step, uint8_t leaves) {
    const CounterUse its = use_(step.index);
    if (its.counts) {
      if (!its.in_order && leaves > 0) return false;
      if (step.younger > 0)
        --step.younger;
      else
        found_.push_back(step.index);
      --step.room;
    }
    step.room = std::min(step.room, its.leaves);
    if (step.room > step.younger) visit_predecessors(step);
    return true;
  }

  void visit_predecessors(const Step& from) {
    flow_.each_predecessor(from.index, [&](uint32_t index, FlowGraph::Way way, uint32_t call) {
      if (++steps_ >= kMaxSteps) return;
      Step to = from;
      to.index = index;
      if (way == FlowGraph::Way::returns && !enter(call, to.inside)) return;
      if (way == FlowGraph::Way::calls && to.inside != 0) {
        if (calls_[to.inside].index != call) return;  // another call than the way came from
        to.inside = calls_[to.inside].outer;
      }
      // with more room, a way finds all that one with less does
      uint8_t& room = seen_[{uint64_t{to.inside} << 32 | to.index, to.younger}];
      if (to.room <= room) return;
      room = to.room;
      open_.push_back(to);
    });
  }

  bool enter(uint32_t call, uint32_t& inside) {
    const unsigned depth = calls_[inside].depth + 1;
    if (depth > kMaxDepth) return false;
    const auto [at, added] =
        numbers_.try_emplace({inside, call}, static_cast<uint32_t>(calls_.size()));
    if (added) calls_.push_back({inside, call, depth});
    inside = at->second;
    return true;
  }

  struct HashPlace {
    size_t operator()(const std::pair<uint64_t, uint8_t>& place) const {
      return static_cast<size_t>((place.first * 64 + place.second) * 0x9e3779b97f4a7c15U);
    }
  };

  const FlowGraph& flow_;
  const std::function<CounterUse(uint32_t)>& use_;
  std::vector<uint32_t> found_;
  std::vector<Step> open_;
  size_t steps_ = 0;
  // The largest room with which an instruction was visited, by it and what is to be passed over.
  std::unordered_map<std::pair<uint64_t, uint8_t>, uint8_t, HashPlace> seen_;
  std::vector<Call> calls_ = {{}};  // the first is none
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;
};

}  // namespace

std::vector<uint32_t> awaited(const FlowGraph& flow, uint32_t index, uint8_t leaves,
                              const std::function<CounterUse(uint32_t)>& use) {
  return Search(flow, use).run(index, leaves);
}

}  // namespace aiflame
