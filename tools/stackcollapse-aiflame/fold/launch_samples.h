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

  // Draws another launch event than so far.
  void choose_again(const std::string& event) {
    event_ = event;
    drawn_.forget();
  }
  // Whether the launch event comes before the CPU event.
  void set_first(bool first) { first_ = first; }

  // The launch event to draw, the first of the input; empty where there is none.
  const std::string& event() const { return event_; }
  // Whether it comes before all CPU events.
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
