// SPDX-License-Identifier: MIT
// Ranks that were merged into one file. Each numbers its launches from 1 on, so a number says
// nothing without its rank:
//
//   {"ph":"X","cat":"kernel","pid":"[TP01] 0","args":{"correlation":305}}   SGLang's merge_profiles
//   {"ph":"X","cat":"kernel","pid":0,"args":{"correlation":305}}            others add the files up
//
// Files that were added up are told apart where Kineto has ended each with "Record Window End": the
// ranks ran at one time, so the next event is earlier than that end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {

// "[TP00-DP01] 251" → "TP00-DP01"; empty: the process has no label.
std::string_view rank_label(std::string_view process);

class RankScope {
 public:
  RankScope() { scopes_.number(""); }

  // Takes the next event of the file, which is in scope from then on.
  void take(const Event& event);
  // The file that was added up: 0 for the first.
  uint32_t file() const { return file_; }
  // A number of the event's rank as one of the whole file. Event::kNone and 0 stay what they are.
  uint64_t scoped(uint64_t id) const;

 private:
  uint32_t file_ = 0, scope_ = 0;
  std::optional<int64_t> window_end_;  // of the file before, until an event says that it was one
  TextTable scopes_;
  std::string key_;
};

}  // namespace aiflame::trace
