// SPDX-License-Identifier: MIT
// Counts the CPU samples of the drawn event that pass the filters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/attribution/event_choice.h"
#include "tools/stackcollapse-aiflame/fold/filtered_stacks.h"

namespace aiflame::collapse {

class CpuSamples {
 public:
  CpuSamples(EventChoice events, const SampleFilter& filter, const TimeStep& by_time,
             TextTable& texts)
      : events_(std::move(events)), drawn_(filter, by_time, texts) {}

  // Whether to draw a sample. Counts it either way.
  [[nodiscard]] bool take(std::string_view event, const SampleOrigin& origin) {
    if (events_.changes_with(event)) drawn_.forget();
    return events_.take(event) && drawn_.passes(origin);
  }
  // Counts the stack of a drawn sample. `time`: nanoseconds.
  void count(uint32_t stack, uint64_t weight, std::optional<uint64_t> time) {
    drawn_.count(stack, weight, time);
  }
  // Draws another event than so far.
  void choose_again(const std::string& event) {
    events_.choose_again(event);
    drawn_.forget();
  }
  // Adds what another thread has counted. stack_of(number) is our number of its stack.
  template <typename StackOf>
  void absorb(const CpuSamples& part, const StackOf& stack_of) {
    events_.absorb(part.events_);
    if (events_.is_worse(part.events_)) choose_again(part.events_.event());
    if (events_.is_same(part.events_)) drawn_.absorb(part.drawn_, stack_of);
  }

  EventChoice& events() { return events_; }
  const EventChoice& events() const { return events_; }
  FilteredStacks& drawn() { return drawn_; }
  const FilteredStacks& drawn() const { return drawn_; }

 private:
  EventChoice events_;
  FilteredStacks drawn_;
};

}  // namespace aiflame::collapse
