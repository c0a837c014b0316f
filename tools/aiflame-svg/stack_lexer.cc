// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/stack_lexer.h"

#include "libcommon/folded.h"
#include "libcommon/program.h"
#include "tools/aiflame-svg/flame_tree.h"
#include "tools/aiflame-svg/palette.h"

namespace aiflame {
bool StackLexer::next(StackBatch& batch) {
  batch.clear();
  size_t bytes = 0;
  while (bytes < kBatch) {
    if (!reader_) {
      // a batch is of one file
      if (next_path_ == paths_.size() || bytes > 0) break;
      reader_.emplace(paths_[next_path_++]);
    }
    if (bytes == 0) batch.path = reader_->name();
    std::string_view line;
    if (!reader_->next(line)) {
      reader_.reset();
      if (bytes > 0) break;
      continue;
    }
    bytes += line.size() + 1;
    if (is_blank_or_comment(line)) continue;
    ++lines_;
    if (!take(line, batch) && ignored_++ == 0) first_ignored_ = reader_->place();
  }
  return bytes > 0;
}

// False when the line has no count.
bool StackLexer::take(std::string_view line, StackBatch& batch) {
  FoldedLine folded;
  if (!split_folded(line, true, folded)) return false;
  const bool differs = !folded.count_before.empty();
  const auto count = parse_count(folded.count);
  const auto before = differs ? parse_count(folded.count_before) : Count();
  if (!count || !before || !marker_.mark(prepared(folded.stack)))
    throw Error(reader_->place() + ": the counts are too large to be added in 64 bits");
  if (differs) ++differing_;
  batch.lines.push_back({reader_->line_number(), batch.text.size(), batch.marks.size(),
                         static_cast<uint32_t>(marker_.shared()), marker_.sorted(), differs, *count,
                         *before});
  std::string_view text;
  marker_.describe(text, batch.marks);
  batch.text += text;
  return true;
}

std::string_view StackLexer::prepared(std::string_view stack) {
  if (options_.reverse) {
    reverse_stack(stack, reversed_);
    stack = reversed_;
  }
  if (!options_.wakers) return stack;
  annotated_ = mark_wakers(stack);
  return annotated_;
}

void StackLexer::warn_of_lines() const {
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  if (ignored_ > 0)
    warn("%llu of %llu lines ignored, first at %s: missing count", number(ignored_), number(lines_),
         first_ignored_.c_str());
  // a stack whose last frame ends in a number looks like this, too
  const uint64_t taken = lines_ - ignored_;
  if (differing_ > 0 && differing_ < taken)
    warn("%llu of %llu lines have two counts; the others are taken as unchanged",
         number(differing_), number(taken));
}

}  // namespace aiflame
