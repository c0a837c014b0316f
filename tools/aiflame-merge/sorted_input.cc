// SPDX-License-Identifier: MIT
#include "tools/aiflame-merge/sorted_input.h"

#include <optional>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/folded.h"

namespace aiflame::merge {

bool SortedInput::next(LaunchFacts& launches) {
  std::string_view line;
  while (lines_.next(line)) {
    if (is_blank_or_comment(line)) {
      quantity_.read(line, lines_.line_number());
      if (is_launch_fact_line(line)) launches.read(line);
      continue;
    }
    FoldedLine folded;
    if (!split_folded(line, false, folded)) throw Error(place() + ": missing count");
    const std::optional<Count> count = parse_count(folded.count);
    if (!count) throw Error(place() + ": the count is too large");
    StackOrder::Found found = order_.next(folded.stack);
    // what is written must be in order, so escapes are compared
    if (found == StackOrder::Found::not_printable) found = order_.next(printable(folded.stack));
    if (found != StackOrder::Found::in_order)
      throw Error(place() +
                  ": the stacks are not sorted bytewise; fold anew, or sort the file with "
                  "LC_ALL=C sort");
    count_ = *count;
    return true;
  }
  return false;
}

}  // namespace aiflame::merge
