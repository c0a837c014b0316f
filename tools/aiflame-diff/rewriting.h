// SPDX-License-Identifier: MIT
// How stacks are rewritten before they are compared.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/folded/device_match.h"

namespace aiflame::diff {

struct Rewriting {
  Match match = Match::structure;
  bool strip_hex = false;
};

// Cuts a stack down to what is compared. False where that is no beginning of the stack.
[[nodiscard]] inline bool cut_to_match(std::string_view& stack, Match match) {
  if (match == Match::offset || !is_device_frame(stack)) return true;
  std::string buffer;
  const std::string_view compared = structure_of_stack(stack, buffer);
  if (compared.data() != stack.data()) return false;
  stack = compared;
  return true;
}

}  // namespace aiflame::diff
