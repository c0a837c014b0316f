// SPDX-License-Identifier: MIT
#include "libcommon/timeline/memory_moment.h"

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/quantity.h"
#include "libcommon/folded/unit_scale.h"

namespace aiflame {

MemoryMoment parse_memory_moment(std::string_view text, bool log) {
  using Kind = MemoryMoment::Kind;
  if (text == "peak") return {};
  if (text == "end") return {Kind::end, 0, 0};
  if (log && text == "oom") return {Kind::oom, 0, 0};
  std::string_view rest = text;
  if (log && take_prefix(rest, "event:")) {
    if (const auto number = parse_number<uint64_t>(rest)) return {Kind::event, *number, 0};
  } else if (const auto time = parse_seconds(text)) {
    return {Kind::time, 0, *time};
  }
  throw UsageError("option '--at': '" + std::string(text) + "' is not peak, end" +
                   (log ? ", oom, event:N" : "") + " or a number of seconds");
}

std::string moment_text(const MemoryMoment& at) {
  switch (at.kind) {
    case MemoryMoment::Kind::end:
      return "at the end";
    case MemoryMoment::Kind::event:
      return format("after entry %llu:", static_cast<unsigned long long>(at.event));
    case MemoryMoment::Kind::time:
      return "after " + format_quantity(at.time, 0, kNanoseconds) + ":";
    case MemoryMoment::Kind::peak:
    case MemoryMoment::Kind::oom:
      break;
  }
  return "peak";
}

std::string memory_text(const std::string& moment, const MemoryHeld& held) {
  std::string text = moment + " " + bytes_text(held.live);
  if (!held.room.empty()) text += " of " + held.room;
  text += ", " + count_text(held.stacks, "stack");
  if (held.before > 0)
    text += "; " + percent_text(held.before, held.live) + " was allocated before recording began";
  return text;
}

std::string bytes_text(uint64_t bytes) {
  return format_quantity(bytes, 0, kBytes);
}

std::string percent_text(uint64_t part, uint64_t whole) {
  return format("%.0f %%",
                whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string count_text(uint64_t count, const char* noun) {
  return format_count_with_commas(count, 0) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace aiflame
