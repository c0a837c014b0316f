// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/stack_cursor.h"

#include <optional>

#include "libcommon/base/count.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/folded.h"

namespace aiflame::diff {

void StackCursor::read_line() {
  more_ = false;
  while (!rest_.empty()) {
    const size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    FoldedLine folded;
    if (is_blank_or_comment(line)) continue;
    // SortedFile::check() accepted these lines, so the file has changed since
    if (!split_folded(line, false, folded) || !cut_to_match(folded.stack, match_))
      throw Error("an input changed while it was read");
    std::optional<Count> count = parse_count(folded.count);
    if (!count || count->decimals > decimals_ || !widen(*count, decimals_))
      throw Error("an input changed while it was read");
    next_stack_ = folded.stack;
    next_count_ = count->value;
    more_ = true;
    return;
  }
}

bool StackCursor::next() {
  if (!more_) return false;
  stack_ = next_stack_;
  count_ = next_count_;
  for (read_line(); more_ && next_stack_ == stack_; read_line()) count_ += next_count_;
  return true;
}

}  // namespace aiflame::diff
