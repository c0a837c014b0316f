// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/line_batch.h"

#include <algorithm>
#include <optional>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/folded.h"
#include "tools/aiflame-diff/stack_table.h"
#include "tools/aiflame-diff/strip_hex.h"

namespace aiflame::diff {
namespace {

// Adds to one of the sums, and keeps both in the same unit.
bool add(std::array<CountSum, kSides>& sums, size_t side, const Count& count) {
  if (!sums[side].add(count)) return false;
  return std::all_of(sums.begin(), sums.end(),
                     [&](CountSum& sum) { return sum.widen_to(sums[side].decimals()); });
}

}  // namespace

void LineBatch::read(InputBlocks& blocks, const Rewriting& rewriting) noexcept {
  lines_.clear();
  changes_ = 0;
  lines_read_ = 0;
  quantity_ = FileQuantity();
  sum_ = CountSum();
  fits_ = true;
  mistake_ = nullptr;
  failure_ = nullptr;
  number_ = UINT64_MAX;
  try {
    if (!blocks.next(block_)) return;
    number_ = block_.number;
    lex(rewriting);
  } catch (...) {
    number_ = block_.number;
    failure_ = std::current_exception();
  }
}

void LineBatch::lex(const Rewriting& rewriting) {
  std::string_view rest = block_.text();
  const bool clean = has_printable_lines(rest);
  while (!rest.empty() && mistake_ == nullptr) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++lines_read_;
    FoldedLine folded;
    if (line.size() >= LineReader::kMaxLine) {
      mistake_ = "line longer than 16 MiB";
    } else if (is_blank_or_comment(line)) {
      quantity_.read(line, lines_read_);
    } else if (!split_folded(line, false, folded)) {
      mistake_ = "missing count";
    } else if (const std::optional<Count> count = parse_count(folded.count); !count) {
      mistake_ = kCountsTooLarge;
    } else {
      fits_ = fits_ && sum_.add(*count);
      if (!clean && !is_printable(folded.stack)) folded.stack = kept(printable(folded.stack));
      const std::string_view stack = rewritten(folded.stack, rewriting);
      lines_.push_back(
          {stack, StackTable::hash_of(stack), *count, static_cast<uint32_t>(lines_read_)});
    }
  }
}

std::string_view LineBatch::rewritten(std::string_view stack, const Rewriting& rewriting) {
  if (rewriting.match == Match::structure) {
    stack = structure_of_stack(stack, buffer_);
    if (stack.data() == buffer_.data()) stack = kept(stack);
  }
  if (rewriting.strip_hex) {
    strip_hex(stack, buffer_);
    stack = kept(buffer_);
  }
  return stack;
}

// A text that is no part of the block, kept for as long as the lines.
std::string_view LineBatch::kept(std::string_view stack) {
  if (changed_.size() == changes_) changed_.emplace_back();
  return changed_[changes_++].assign(stack);
}

void LineBatch::settle(std::array<CountSum, kSides>& sums, size_t side, uint64_t line) const {
  const auto fail = [&](uint64_t number, const char* what) {
    throw Error(block_.path + ":" + std::to_string(line + number) + ": " + what);
  };
  std::array<CountSum, kSides> after = sums;
  if (fits_ && add(after, side, {sum_.value(), sum_.decimals()})) {
    sums = after;
    if (mistake_ != nullptr) fail(lines_read_, mistake_);
    if (failure_) std::rethrow_exception(failure_);
    return;
  }
  // The sum of the batch does not fit: finds the first line that makes it too large.
  for (const Line& one : lines_)
    if (!add(sums, side, one.count)) fail(one.number, kCountsTooLarge);
}

}  // namespace aiflame::diff
