// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read/stack_lexer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "libcommon/base/count_sum.h"
#include "libcommon/base/printable.h"
#include "libcommon/folded/columns.h"
#include "libcommon/folded/folded.h"
#include "tools/aiflame-svg/read/wakers.h"

namespace aiflame::svg {

BlockReport StackLexer::read(const InputBlock& block) {
  BlockReport report;
  report.number = block.number;
  report.path = block.path;
  report.first = block.first;
  std::string_view rest = block.text();
  printable_ = has_printable_lines(rest);
  last_stated_ = {};
  if (!options_.two_counts) options_.two_counts = has_two_counts(rest);
  while (!rest.empty() && report.mistake.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++report.lines;
    if (line.size() >= LineReader::kMaxLine) {
      report.mistake = "line longer than 16 MiB";
    } else if (is_blank_or_comment(line)) {
      take_comment(line, report);
    } else if (!take(line, report)) {
      if (options_.strict) report.mistake = kMissingCount;
      if (report.ignored++ == 0) report.first_ignored = report.lines;
    }
  }
  flush();
  return report;
}

// Returns false when the line has no count.
bool StackLexer::take(std::string_view line, BlockReport& report) {
  FoldedLine folded;
  if (!split_folded(line, options_.two_counts.value_or(false), folded)) return false;
  const bool differs = !folded.count_before.empty();
  auto count = parse_count(folded.count);
  auto before = differs ? parse_count(folded.count_before) : count;
  if (!count || !before) {
    report.mistake = kCountsTooLarge;
    return true;
  }
  report.counted.push_back({report.lines, *count, *before, differs});
  use_decimals(std::max(count->decimals, before->decimals));
  // a count that does not fit makes the sum not fit, which the ledger reports
  [[maybe_unused]] const bool fit = widen(*count, decimals_) && widen(*before, decimals_);
  if (differs && !differential_) {
    flush();
    sink_.make_differential();
    differential_ = true;
  }
  stacks_.push_back({prepared(folded.stack), count->value, before->value});
  return true;
}

void StackLexer::take_comment(std::string_view line, BlockReport& report) {
  if (is_launch_fact_line(line)) report.launches.read(line);
  if (is_note_line(line)) report.notes.read(line);
  if (is_frame_change_line(line)) report.changes.read(line);
  // many files in one have the same line many times
  if (!is_quantity_line(line) || line == last_stated_) return;
  last_stated_ = line;
  if (std::optional<Quantity> quantity = parse_quantity(line))
    report.stated.push_back({report.lines, std::move(*quantity)});
}

void StackLexer::flush() {
  sink_.add(stacks_);
  stacks_.clear();
  used_ = 0;
}

void StackLexer::use_decimals(unsigned decimals) {
  if (decimals <= decimals_) return;
  flush();
  for (; decimals_ < decimals; ++decimals_) sink_.scale(10);
}

std::string_view StackLexer::prepared(std::string_view stack) {
  const bool clean = printable_ || is_printable(stack);
  if (!options_.reverse && !options_.wakers && clean) return stack;
  if (prepared_.size() == used_) prepared_.emplace_back();
  std::string& kept = prepared_[used_++];
  const std::string text = clean ? std::string() : printable(stack);
  if (!clean) stack = text;
  if (options_.reverse) {
    reverse_stack(stack, kept);
  } else {
    kept.assign(stack);
  }
  if (options_.wakers) kept = mark_wakers(kept);
  return kept;
}

void reverse_stack(std::string_view stack, std::string& out) {
  out.clear();
  stack = stack.substr(0, stack.find_last_not_of(';') + 1);
  for (;;) {
    const size_t semicolon = stack.rfind(';');
    if (semicolon == std::string_view::npos) break;
    out.append(stack.substr(semicolon + 1));
    out += ';';
    stack = stack.substr(0, semicolon);
  }
  out.append(stack);
}

}  // namespace aiflame::svg
