// SPDX-License-Identifier: MIT
// Walks through sorted folded lines, and adds up the counts of lines with the same stack, as it is
// compared.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/aiflame-diff/rewriting.h"

namespace aiflame::diff {

class StackCursor {
 public:
  // `text` has whole lines, sorted and known to have counts. Counts are in units of 10^-decimals.
  StackCursor(std::string_view text, unsigned decimals, Match match)
      : rest_(text), decimals_(decimals), match_(match) {
    read_line();
  }

  // Moves to the next stack; false at the end.
  [[nodiscard]] bool next();
  std::string_view stack() const { return stack_; }
  uint64_t count() const { return count_; }

 private:
  void read_line();

  std::string_view rest_;
  unsigned decimals_;
  Match match_;
  std::string_view stack_, next_stack_;
  uint64_t count_ = 0, next_count_ = 0;
  bool more_ = false;
};

}  // namespace aiflame::diff
