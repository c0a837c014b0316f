// SPDX-License-Identifier: MIT
// Which CPU event is drawn, and which events are kernel launches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libcommon/attribution/launch_events.h"
#include "libcommon/perf_script/event_pattern.h"

namespace aiflame {

// Samples of one event are drawn, and those of the same event on other PMUs: a processor with
// several kinds of cores has one for each kind. Which event that is, with --event, does not depend
// on the order of the samples: the one that fits best, and of those that fit alike the first by
// name.
class EventChoice {
 public:
  // `events`: what --event says, for EventPatterns; empty takes the first event of the input.
  // `launch_events`: patterns for LaunchEvents.
  EventChoice(const std::string& events, const std::string& launch_events)
      : patterns_(events), event_(events), launch_events_(launch_events) {}

  // Whether samples of an event are launches. Those that --event names are not.
  bool is_launch(std::string_view event) {
    if (event.empty() || !launch_events_.is_launch(event) || draws(event)) return false;
    return !EventPatterns::is_whole_name(patterns_.rank(event));
  }
  // Whether a sample of an event that is no launch changes which event is drawn. Those drawn so far
  // are then not drawn after all.
  bool changes_with(std::string_view event) const {
    return event != counted_ && found_ && fits_better(event);
  }
  // Counts a sample of an event that is no launch. Returns whether it is drawn; a sample without an
  // event is.
  [[nodiscard]] bool take(std::string_view event) {
    if (count_ == nullptr || event != counted_) {
      counted_ = event;
      count_ = &samples_[counted_];
      if (patterns_.empty() ? !found_ && !event.empty() : fits_better(event))
        choose_again(counted_);
      is_drawn_ = event.empty() || draws(event);
    }
    ++*count_;
    return is_drawn_;
  }
  // Draws another event. Samples of the one before were counted and now are not drawn.
  void choose_again(const std::string& event) {
    event_ = event;
    found_ = true;
    rank_ = patterns_.rank(event);
    of_pmus_ = event_of_pmus(event);
    known_.clear();
    is_drawn_ = counted_.empty() || draws(counted_);
  }
  // Whether samples of an event are drawn.
  bool draws(std::string_view event) const { return found_ && fit(event).draws; }
  // The same choice for another thread, which has counted nothing yet.
  EventChoice for_thread() const {
    EventChoice out = *this;
    out.samples_.clear();
    out.count_ = nullptr;
    return out;
  }
  void absorb(const EventChoice& part) { absorb(part.samples_); }
  // Whether another thread's choice is the same, or none, and whether it is better.
  bool is_same(const EventChoice& part) const {
    return !part.found_ || (found_ && draws(part.event_));
  }
  bool is_worse(const EventChoice& part) const {
    return part.found_ && !patterns_.empty() && fits_better(part.event_);
  }
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
  bool known() const { return found_ || !patterns_.empty(); }
  // The event, or what --event says where no sample fits.
  const std::string& event() const { return event_; }
  // How many samples each event has; "" where the input does not name it.
  const std::map<std::string, uint64_t>& samples() const { return samples_; }

 private:
  // What is known of an event, as long as the choice is the same.
  struct Fit {
    bool draws = false, fits_better = false;
  };
  const Fit& fit(std::string_view event) const {
    const auto [at, added] = known_.try_emplace(std::string(event));
    if (!added) return at->second;
    const EventRank rank = event.empty() ? kFitsNot : patterns_.rank(event);
    const bool is_same = !of_pmus_.empty() && event_of_pmus(event) == of_pmus_ &&
                         (patterns_.empty() || rank == rank_);
    at->second.draws = found_ && (event == event_ || is_same);
    at->second.fits_better =
        rank != kFitsNot && !at->second.draws &&
        (!found_ || rank < rank_ || (rank == rank_ && order_of(event) < order_of(event_)));
    return at->second;
  }
  bool fits_better(std::string_view event) const {
    return !patterns_.empty() && (!found_ || event != event_) && fit(event).fits_better;
  }
  // Events of several PMUs that are one are one here.
  static std::string order_of(std::string_view event) {
    std::string out = event_of_pmus(event);
    return out.empty() ? std::string(event) : out;
  }

  EventPatterns patterns_;
  std::string event_, of_pmus_;
  bool found_ = false;  // a sample of event_ has come
  EventRank rank_ = kFitsNot;
  LaunchEvents launch_events_;
  std::map<std::string, uint64_t> samples_;
  std::map<std::string, std::string> units_;
  std::string counted_;  // the event that count_ counts
  bool is_drawn_ = false;
  mutable std::unordered_map<std::string, Fit> known_;
  uint64_t* count_ = nullptr;
};

}  // namespace aiflame
