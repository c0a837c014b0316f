// SPDX-License-Identifier: MIT
#include "libcommon/folded/columns.h"

#include <algorithm>

#include "libcommon/folded/folded.h"

namespace aiflame {

std::optional<bool> has_two_counts(std::string_view beginning) {
  std::optional<bool> out;
  while (!beginning.empty()) {
    const size_t end = beginning.find('\n');
    if (end == std::string_view::npos && out) break;
    const std::string_view line = beginning.substr(0, end);
    beginning.remove_prefix(std::min(line.size() + 1, beginning.size()));
    if (is_quantity_line(line)) {
      if (const auto quantity = parse_quantity(line)) return quantity->two_counts;
    }
    FoldedLine folded;
    if (is_blank_or_comment(line) || !split_folded(line, true, folded)) continue;
    out = out.value_or(true) && !folded.count_before.empty();
  }
  return out;
}

bool has_two_counts(const Quantity& says, LineReader& reader, std::string& line) {
  if (says.is_known()) return says.two_counts;
  while (reader.ahead().size() < kColumnsBeginning && reader.read_ahead()) {
  }
  std::string beginning = line + "\n";
  beginning += reader.ahead().substr(0, kColumnsBeginning);
  return has_two_counts(beginning).value_or(false);
}

std::string escape_number(std::string_view frame) {
  std::string out(frame);
  FoldedLine folded;
  if (split_folded(frame, false, folded) && folded.count.end() == frame.end())
    out[folded.stack.size()] = '_';
  return out;
}

}  // namespace aiflame
