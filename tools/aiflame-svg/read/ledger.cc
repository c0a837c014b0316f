// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read/ledger.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/count_sum.h"
#include "libcommon/base/program.h"

namespace aiflame::svg {

bool Ledger::add(BlockReport&& report) {
  const std::lock_guard lock(mutex_);
  const bool failed = report.failed();
  if (report.number != next_) {
    waiting_.emplace(report.number, std::move(report));
    return !failed;
  }
  take(report);
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_;
       first = waiting_.erase(first))
    take(first->second);
  return !failed && !failure_;
}

void Ledger::take(const BlockReport& report) {
  ++next_;
  if (failure_) return;
  if (report.first) lines_ = 0;
  std::optional<Mistake> mistake = add_counts(report);
  if (std::optional<Mistake> other = compare_units(report))
    if (!mistake || other->line < mistake->line) mistake = std::move(other);
  if (mistake) return fail(place(report, mistake->line) + ": " + mistake->what);
  if (ignored_ == 0 && report.ignored > 0) first_ignored_ = place(report, report.first_ignored);
  ignored_ += report.ignored;
  if (!report.mistake.empty()) return fail(place(report, report.lines) + ": " + report.mistake);
  if (!report.launches.empty()) launches_.add(report.launches);
  if (!report.notes.empty()) notes_.add(report.notes);
  if (!report.changes.empty()) changes_.add(report.changes);
  failure_ = report.failure;
  lines_ += report.lines;
}

std::optional<Ledger::Mistake> Ledger::add_counts(const BlockReport& report) {
  for (const BlockReport::Counted& line : report.counted) {
    if (strict_ && !is_like_the_first(line))
      return Mistake{line.line, line.differs ? "two counts, and the first line has one"
                                             : "one count, and the first line has two"};
    if (!count(line)) return Mistake{line.line, kCountsTooLarge};
  }
  return std::nullopt;
}

std::optional<Ledger::Mistake> Ledger::compare_units(const BlockReport& report) {
  for (const auto& [line, quantity] : report.stated) {
    if (const QuantityReferences::Place* other = references_.conflict(quantity)) {
      if (!mixed_)
        return Mistake{
            line, describe_difference(quantity, other->file + ":" + std::to_string(other->line),
                                      other->quantity) +
                      "; --mixed draws them all the same"};
      adds_units_ = true;
    }
    references_.add({quantity, lines_ + line, report.path});
    quantity_ = adds_units_ ? Quantity() : common_quantity(quantity_, quantity);
  }
  return std::nullopt;
}

bool Ledger::count(const BlockReport::Counted& line) {
  Count count = line.count, before = line.differs ? line.before : line.count;
  if (!use_decimals(std::max(count.decimals, before.decimals)) || !widen(count, decimals_) ||
      !widen(before, decimals_))
    return false;
  ++counted_;
  if (line.differs) ++differing_;
  return add_checked(sum_, count.value) && add_checked(sum_before_, before.value);
}

bool Ledger::is_like_the_first(const BlockReport::Counted& line) const {
  return counted_ == 0 || line.differs == (differing_ > 0);
}

// When counts get finer, sums are in the finer unit from here on.
bool Ledger::use_decimals(unsigned decimals) {
  for (; decimals_ < decimals; ++decimals_)
    if (!multiply_checked(sum_, 10) || !multiply_checked(sum_before_, 10)) return false;
  return true;
}

std::string Ledger::place(const BlockReport& report, uint64_t line) const {
  return report.path + ":" + std::to_string(lines_ + line);
}

void Ledger::fail(const std::string& message) {
  failure_ = std::make_exception_ptr(Error(message));
}

void Ledger::close() const {
  if (failure_) std::rethrow_exception(failure_);
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  if (ignored_ > 0)
    warn("%llu of %llu lines ignored, first at %s: %s", number(ignored_), number(lines()),
         first_ignored_.c_str(), kMissingCount);
  // a line with one count looks like this too, when its last frame ends in a number
  if (differing_ > 0 && differing_ < counted_)
    warn("%llu of %llu lines have two counts; the others are taken as unchanged",
         number(differing_), number(counted_));
}

}  // namespace aiflame::svg
