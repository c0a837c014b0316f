// SPDX-License-Identifier: MIT
// Device samples after attribution: the lines that they are drawn as, and how many of each event
// were exact, apportioned, presumed, unattributed or filtered out.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "libcommon/attribution/attribution.h"
#include "libcommon/folded/time_step.h"
#include "libcommon/text/numbered_table.h"
#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-aiflame/fold/counts.h"
#include "tools/stackcollapse-aiflame/fold/device_events.h"
#include "tools/stackcollapse-aiflame/fold/statistics.h"

namespace aiflame::collapse {

class DeviceCounts {
 public:
  static constexpr uint32_t kNoStack = UINT32_MAX;
  struct Line {
    uint32_t event = 0;  // in kDeviceEvents
    uint32_t stack = 0;  // the launch's CPU stack; kNoStack: only the root is known
    uint32_t root = 0, code = 0, interval = 0;  // in texts
    uint32_t sampler = 0;                       // in DeviceSamplers
    bool operator==(const Line&) const = default;
  };

  // `texts` gets the names of the intervals. `wants_launches`: gpu-launch is drawn, though it may
  // not be the only event.
  DeviceCounts(const TimeStep& by_time, TextTable& texts, bool wants_launches = false)
      : by_time_(by_time), texts_(texts), wants_launches_(wants_launches) {}
  bool wants_launches() const { return wants_launches_; }

  // Samples that were read. Each must be passed on to filter_out() or add(). `sampler`: in
  // DeviceSamplers.
  void read(uint32_t event, uint32_t sampler, uint64_t count);
  void filter_out(uint32_t event, uint64_t count);
  // Samples of a line without its interval. `time`: nanoseconds. `unnamed`: why the line lacks the
  // mnemonic of its instruction.
  void add(Line line, std::optional<uint64_t> time, uint64_t count, How how,
           Unnamed unnamed = Unnamed::no);

  // The samples of a sampler: all that were read, and those that add() has got.
  uint64_t samples_read(uint32_t event, uint32_t sampler) const { return read_[event].at(sampler); }
  uint64_t samples_drawn(uint32_t event, uint32_t sampler) const {
    return drawn_[event].at(sampler);
  }
  // The events that have occurred, by name.
  std::map<std::string, EventCounts> events() const;
  uint32_t size() const { return counts_.size(); }
  const Line& line(uint32_t number) const { return lines_.key(number); }
  uint64_t count(uint32_t number) const { return counts_[number]; }
  // 0 for a line that is not there.
  uint64_t count_of(const Line& line) const {
    const uint32_t number = lines_.find(line);
    return number == HashIndex::kNone ? 0 : counts_[number];
  }

 private:
  const TimeStep& by_time_;
  TextTable& texts_;
  bool wants_launches_;
  EventCounts events_[std::size(kDeviceEvents)];
  Counts read_[std::size(kDeviceEvents)], drawn_[std::size(kDeviceEvents)];  // by sampler
  bool seen_[std::size(kDeviceEvents)] = {};
  NumberedTable<Line> lines_;
  Counts counts_;
};

}  // namespace aiflame::collapse
