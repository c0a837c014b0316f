// SPDX-License-Identifier: MIT
// Which CPU event is drawn, and which events are kernel launches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/attribution/launch_events.h"

namespace aiflame::collapse {

class EventChoice {
 public:
  // `event`: the CPU event to draw; empty takes the first of the input. `launch_events`: patterns
  // for LaunchEvents.
  EventChoice(const std::string& event, const std::string& launch_events)
      : event_(event), known_(!event.empty()), launch_events_(launch_events) {}

  // Whether samples of an event are launches. The event that is drawn is not.
  bool is_launch(std::string_view event) {
    return !event.empty() && launch_events_.is_launch(event) && !(known_ && event == event_);
  }
  // Counts a sample of an event that is no launch. Returns whether it is drawn; a sample without an
  // event is.
  bool take(std::string_view event) {
    if (count_ == nullptr || event != counted_) {
      counted_ = event;
      count_ = &samples_[counted_];
    }
    ++*count_;
    if (event.empty()) return true;
    if (!known_) {
      event_ = event;
      known_ = true;
    }
    return event == event_;
  }
  // Draws another event. Samples of the one before were counted and now are not drawn.
  void choose_again(const std::string& event) {
    event_ = event;
    known_ = true;
  }
  // The same choice for another thread, which has counted nothing yet.
  EventChoice for_thread() const {
    EventChoice out = *this;
    out.samples_.clear();
    out.count_ = nullptr;
    return out;
  }
  void absorb(const EventChoice& part) { absorb(part.samples_); }
  void absorb(const std::map<std::string, uint64_t>& samples) {
    for (const auto& [event, count] : samples) samples_[event] += count;
  }

  // What an event of a perf.data counts, as its attributes say it: more than a name does.
  void set_unit(const std::string& event, std::string_view unit) {
    const auto [at, added] = units_.try_emplace(event, unit);
    if (!added && at->second != unit) at->second.clear();  // two events share the name
  }
  // The unit of an event; nothing where all its samples are of text.
  std::optional<std::string_view> unit(const std::string& event) const {
    const auto at = units_.find(event);
    return at == units_.end() ? std::nullopt : std::optional<std::string_view>(at->second);
  }

  // Whether the event is known: it was given, or a sample has come.
  bool known() const { return known_; }
  const std::string& event() const { return event_; }
  // How many samples each event has; "" where the input does not name it.
  const std::map<std::string, uint64_t>& samples() const { return samples_; }

 private:
  std::string event_;
  bool known_;
  LaunchEvents launch_events_;
  std::map<std::string, uint64_t> samples_;
  std::map<std::string, std::string> units_;
  std::string counted_;  // the event that count_ counts
  uint64_t* count_ = nullptr;
};

}  // namespace aiflame::collapse
