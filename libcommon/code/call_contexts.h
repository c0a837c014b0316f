// SPDX-License-Identifier: MIT
// The calls that a search backwards along flow_graph.h has gone into: a way that entered a function
// by its return leaves it by the same call (pure).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace aiflame {

class CallContexts {
 public:
  // Goes from `context`, 0 being none, into the function called at `call`. False: too deep.
  [[nodiscard]] bool enter(uint32_t call, uint32_t& context) {
    const unsigned depth = calls_[context].depth + 1;
    if (depth > kMaxDepth) return false;
    const auto [at, added] =
        numbers_.try_emplace({context, call}, static_cast<uint32_t>(calls_.size()));
    if (added) calls_.push_back({context, call, depth});
    context = at->second;
    return true;
  }

  // Leaves the function to its `call`. False: the way came from another call.
  [[nodiscard]] bool leave(uint32_t call, uint32_t& context) const {
    if (context == 0) return true;
    if (calls_[context].index != call) return false;
    context = calls_[context].outer;
    return true;
  }

 private:
  // Calls that a way goes into and has not left, at most.
  static constexpr unsigned kMaxDepth = 16;

  struct Call {
    uint32_t outer = 0;  // a number in calls_
    uint32_t index = 0;
    unsigned depth = 0;
  };

  std::vector<Call> calls_ = {{}};  // the first is none
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;
};

}  // namespace aiflame
