// SPDX-License-Identifier: MIT
#include "libcommon/code/counter_search.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "libcommon/code/call_contexts.h"

namespace aiflame {
namespace {

// Instructions and ways that are visited for one answer. Kernels have a few thousand instructions,
// and what is waited for is seldom more than a few hundred away.
constexpr size_t kMaxSteps = size_t{1} << 16;

// The largest counters have 6 bits: where one is full, the hardware issues no more.
constexpr uint8_t kMostCounted = 63;

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
    uint32_t inside;        // the calls that the way went into, from below: a context of calls_
    uint8_t younger, room;  // to be passed over; counted and perhaps not over, those included
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
      if (way == FlowGraph::Way::returns && !calls_.enter(call, to.inside)) return;
      if (way == FlowGraph::Way::calls && !calls_.leave(call, to.inside)) return;
      // with more room, a way finds all that one with less does
      uint8_t& room = seen_[{uint64_t{to.inside} << 32 | to.index, to.younger}];
      if (to.room <= room) return;
      room = to.room;
      open_.push_back(to);
    });
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
  CallContexts calls_;
};

}  // namespace

std::vector<uint32_t> awaited(const FlowGraph& flow, uint32_t index, uint8_t leaves,
                              const std::function<CounterUse(uint32_t)>& use) {
  return Search(flow, use).run(index, leaves);
}

}  // namespace aiflame
