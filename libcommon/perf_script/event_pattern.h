// SPDX-License-Identifier: MIT
// Names of CPU events, as perf prints them, and what --event says of them:
//
//   cycles:u                   an event, and its modifiers
//   cpu_core/cycles/Pu         an event of one PMU of a processor with several kinds of cores
//   cpu_atom/cycles:Pu/        the same of another PMU, as some versions of perf print it
//   sched:sched_switch         a tracepoint
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

struct PerfEventName {
  std::string_view pmu, event, modifiers;
};
PerfEventName parse_event_name(std::string_view name);

// What events of several PMUs share if they are one event, `cycles:u`; empty for an event without a
// PMU. How precise the samples are, `P`, may differ from PMU to PMU.
std::string event_of_pmus(std::string_view name);

// How well a name fits --event, from 0 on: an earlier place in the list fits better, and at one
// place the whole name, then the name without modifiers, then the name without PMU and modifiers.
using EventRank = size_t;
constexpr EventRank kFitsNot = SIZE_MAX;

class EventPatterns {
 public:
  // Names and shell patterns, separated by commas; those between slashes belong to a name:
  // `cpu/event=0x3c,umask=0/u`.
  explicit EventPatterns(std::string_view list);

  bool empty() const { return patterns_.empty(); }
  // kFitsNot where no pattern fits.
  EventRank rank(std::string_view name) const;
  // Whether a name of that rank fits as it stands.
  static bool is_whole_name(EventRank rank) { return rank != kFitsNot && rank % kForms == 0; }

 private:
  static constexpr size_t kForms = 3;

  std::vector<std::string> patterns_;
};

}  // namespace aiflame
