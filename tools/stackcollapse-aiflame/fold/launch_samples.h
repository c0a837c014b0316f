// SPDX-License-Identifier: MIT
// Launches that perf has recorded, as CPU samples. Without a device in the input they are drawn
// like any other event.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tools/stackcollapse-aiflame/fold/filtered_stacks.h"

namespace aiflame::collapse {

class LaunchSamples {
 public:
  LaunchSamples(const SampleFilter& filter, const TimeStep& by_time, TextTable& texts)
      : drawn_(filter, by_time, texts) {}

  // `before_cpu`: no CPU sample has come before it.
  void take(std::string_view event, const SampleOrigin& origin, uint32_t stack, bool before_cpu) {
    if (event_.empty()) {
      event_ = event;
      first_ = before_cpu;
    }
    ++samples_[std::string(event)];
    if (event == event_ && drawn_.passes(origin)) drawn_.count(stack, 1, origin.time);
  }

  // The first launch event of the input; empty where there is none.
  const std::string& event() const { return event_; }
  // Whether it came before all CPU events.
  bool is_first() const { return first_; }
  const FilteredStacks& drawn() const { return drawn_; }
  // How many launches each event has.
  const std::map<std::string, uint64_t>& samples() const { return samples_; }

 private:
  std::string event_;
  bool first_ = false;
  FilteredStacks drawn_;
  std::map<std::string, uint64_t> samples_;
};

}  // namespace aiflame::collapse
