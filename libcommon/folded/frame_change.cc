// SPDX-License-Identifier: MIT
#include "libcommon/folded/frame_change.h"

#include <algorithm>
#include <cmath>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame {
namespace {

constexpr std::string_view kBegin = "# aiflame-change: ";

// Six digits that count: "-278", "0.0123457".
std::string bound_text(double bound) {
  const int before_point =
      bound == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::fabs(bound)))) + 1;
  std::string out = format("%.*f", std::clamp(6 - before_point, 0, 12), bound);
  if (out.find('.') == std::string::npos) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

// "low -278" of the line's items before the frames. False where the value is malformed.
bool take_item(std::string_view item, FrameChange& out) {
  std::string_view value = item;
  const std::string_view key = take_field(value);
  value = trim_left(value);
  if (key == "before" || key == "after") {
    const auto count = parse_count(value);
    if (count) (key == "before" ? out.before : out.after) = *count;
    return count.has_value();
  }
  if (key == "low" || key == "high") {
    const auto bound = parse_number<double>(value);
    if (!bound || !std::isfinite(*bound)) return false;
    (key == "low" ? out.low : out.high) = *bound;
  }
  return true;
}

}  // namespace

std::string frame_change_line(const FrameChange& change) {
  std::string out(kBegin);
  out += "before " + format_count(change.before.value, change.before.decimals);
  out += ", after " + format_count(change.after.value, change.after.decimals);
  out += ", low " + bound_text(change.low) + ", high " + bound_text(change.high);
  return out + ", frames " + change.frames + ";\n";
}

std::optional<FrameChange> parse_frame_change(std::string_view line) {
  line = trim_right(line);
  if (!take_prefix(line, kBegin)) return std::nullopt;
  FrameChange out;
  // the frames come last, as ", " may be in a name
  while (!take_prefix(line, "frames ")) {
    const size_t end = line.find(", ");
    if (end == std::string_view::npos || !take_item(line.substr(0, end), out)) return std::nullopt;
    line.remove_prefix(end + 2);
  }
  if (!line.ends_with(';') || out.low > out.high) return std::nullopt;
  out.frames = line.substr(0, line.size() - 1);
  return out;
}

void FrameChanges::read(std::string_view line) {
  if (const auto change = parse_frame_change(line)) add(*change);
}

void FrameChanges::add(const FrameChange& change) {
  if (changes_.size() >= kMost || bytes_ + change.frames.size() > kMostBytes) return;
  bytes_ += change.frames.size();
  changes_.push_back(change);
}

void FrameChanges::add(const FrameChanges& other) {
  for (const FrameChange& change : other.changes_) add(change);
}

}  // namespace aiflame
