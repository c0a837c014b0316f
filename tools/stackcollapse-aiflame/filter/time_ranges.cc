// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/filter/time_ranges.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::collapse {
namespace {

using Part = std::pair<double, double>;

// 0.125 for "12.5%".
std::optional<double> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  const auto number = parse_number<double>(text);
  // the negation also refuses NaN
  if (!number || !(*number >= 0 && *number <= 100)) return std::nullopt;
  return *number / 100;
}

// `10%/2`, `10%-20%`, `10%`
std::optional<Part> parse_part(std::string_view text) {
  Part part(0, 0);
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    const auto percent = parse_percent(text.substr(0, slash));
    const auto number = parse_number<uint32_t>(text.substr(slash + 1));
    if (!percent || *percent == 0 || !number || *number == 0) return std::nullopt;
    part = {*percent * (*number - 1.0), *percent * *number};
  } else if (const size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto from = parse_percent(text.substr(0, dash));
    const auto to = parse_percent(text.substr(dash + 1));
    if (!from || !to) return std::nullopt;
    part = {*from, *to};
  } else {
    const auto to = parse_percent(text);
    if (!to) return std::nullopt;
    part = {0, *to};
  }
  if (part.second > 1 || part.second < part.first) return std::nullopt;
  return part;
}

}  // namespace

TimeRanges::TimeRanges(std::string_view text) {
  const auto refuse = [text] {
    throw UsageError(format(
        "option '--time': '%s' is neither START,END in seconds nor parts like 10%%/2 or 10%%-20%%",
        std::string(text).c_str()));
  };
  if (text.find('%') != std::string_view::npos) {
    for (std::string_view rest = text;;) {
      const size_t comma = rest.find(',');
      const auto part = parse_part(rest.substr(0, comma));
      if (!part) refuse();
      parts_.push_back(*part);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    return;
  }
  std::string_view rest = text;
  for (std::string_view field = take_field(rest); !field.empty(); field = take_field(rest)) {
    const size_t comma = field.find(',');
    if (comma == std::string_view::npos) refuse();
    const std::string_view from = field.substr(0, comma), to = field.substr(comma + 1);
    Range range;
    if (!from.empty()) {
      const auto time = parse_seconds(from);
      if (!time) refuse();
      range.from = *time;
    }
    if (!to.empty()) {
      const auto time = parse_seconds(to);
      if (!time) refuse();
      range.to = *time;
    }
    // perf, too, wants them in order
    if (range.to < range.from || (!ranges_.empty() && ranges_.back().to >= range.from)) refuse();
    ranges_.push_back(range);
  }
  if (ranges_.empty()) refuse();
}

// perf's own arithmetic, so that the same samples are chosen. Both ends are included, but a part
// that ends before the whole ends a nanosecond before the next part begins.
void TimeRanges::of_whole(uint64_t first, uint64_t last) {
  ranges_.clear();
  const uint64_t whole = last < first ? 0 : last - first;
  // rounds a share of the whole; 2^64 as a double does not fit into uint64_t
  const auto at = [&](double share) {
    const double offset = std::round(share * static_cast<double>(whole));
    return offset >= static_cast<double>(whole) ? last : first + static_cast<uint64_t>(offset);
  };
  for (const auto& [from, to] : parts_) {
    Range range{at(from), at(to)};
    if (range.to > range.from && range.to != last) --range.to;
    ranges_.push_back(range);
  }
}

bool TimeRanges::contains(uint64_t time) const {
  if (ranges_.empty()) return parts_.empty();
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [time](const Range& range) { return time >= range.from && time <= range.to; });
}

}  // namespace aiflame::collapse
