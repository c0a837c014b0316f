// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/rank_scope.h"

namespace aiflame::trace {

std::string_view rank_label(std::string_view process) {
  const size_t end = process.find("] ");
  return !process.starts_with('[') || end == std::string_view::npos ? std::string_view()
                                                                    : process.substr(1, end - 1);
}

void RankScope::take(const Event& event) {
  if (event.phase == 'i' && event.name == "Record Window End") {
    window_end_ = event.start;
    if (window_end_) ++file_;
  } else if (window_end_ && event.phase == 'X' && event.start) {
    // one file, sorted by time: its ranks cannot be told apart
    if (*event.start >= *window_end_) --file_;
    window_end_.reset();
  }
  const std::string_view label = rank_label(event.process);
  if (label.empty() && file_ == 0) {
    scope_ = 0;
    return;
  }
  key_.assign(label).append(1, '\0').append(std::to_string(file_));
  scope_ = scopes_.number(key_);
}

uint64_t RankScope::scoped(uint64_t id) const {
  if (scope_ == 0 || id == 0 || id == Event::kNone) return id;
  constexpr int kIdBits = 40;
  if (id >> kIdBits == 0 && scope_ >> (63 - kIdBits) == 0)
    return id | static_cast<uint64_t>(scope_) << kIdBits;
  // no writer has such ids
  const uint64_t mixed = (id ^ scope_ * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
  return (mixed ^ mixed >> 32) >> 1 | uint64_t{1} << 62;
}

}  // namespace aiflame::trace
