// SPDX-License-Identifier: MIT
#include "libcommon/folded/stack_order.h"

#include "libcommon/base/printable.h"
#include "libcommon/text/byte_scan.h"

namespace aiflame {
namespace {

// The end of `text` from byte `at` on, and the character before it, of which that byte may be part.
std::string_view from_character(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  while (at > 0 && byte(at - 1) >= 0x80)
    if (byte(--at) >= 0xc0) break;
  return text.substr(at);
}

}  // namespace

StackOrder::Found StackOrder::next(std::string_view stack) {
  const size_t same = common_prefix(stack, last_);
  const bool less =
      same < last_.size() && (same == stack.size() || static_cast<unsigned char>(stack[same]) <
                                                          static_cast<unsigned char>(last_[same]));
  if (less) return Found::out_of_order;
  if (!is_printable(from_character(stack, same))) return Found::not_printable;
  last_.replace(same, std::string::npos, stack.substr(same));
  return Found::in_order;
}

}  // namespace aiflame
