// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/energy/energy_report.h"

#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

// One is asked for at a time.
constexpr size_t kMostReadings = 2;

// A name goes into the recording as a line of it.
std::string shown(std::string_view text) {
  return printable(text.substr(0, EnergyReport::kLongestText));
}

}  // namespace

void EnergyReport::take(std::string_view text) {
  for (size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1)) {
    if (begun_.size() + end > kLongestLine) throw Error("a line is too long");
    begun_.append(text.substr(0, end));
    take_line(std::exchange(begun_, ""));
  }
  if (begun_.size() + text.size() > kLongestLine) throw Error("a line is too long");
  begun_.append(text);
}

void EnergyReport::take_line(std::string_view line) {
  if (take_prefix(line, "counter ")) return take_counter(line);
  if (take_prefix(line, "at ")) return take_reading(line);
  const bool is_none = line == "none" && counters_.empty() && !has_none_;
  if (is_none) {
    has_none_ = true;
    return;
  }
  if (!take_prefix(line, "note ")) throw Error("not expected: '" + shown(line) + "'");
  if (notes_.size() == kMostNotes) throw Error("it says too much");
  notes_.push_back(shown(line));
}

void EnergyReport::take_counter(std::string_view line) {
  if (time_ != 0) throw Error("a counter comes after readings");
  if (counters_.size() == kMostCounters)
    throw Error(format("it has more than %zu counters", kMostCounters));
  const std::string_view place = take_field(line);
  const std::string name = shown(trim(line));
  if (place.empty() || place.size() > kLongestText || name.empty())
    throw Error("a counter has no name");
  counters_.push_back({place == "-" ? "" : shown(place), name});
}

void EnergyReport::take_reading(std::string_view line) {
  Reading out;
  const auto time = parse_number<uint64_t>(take_field(line));
  if (!time || *time <= time_) throw Error("its time goes back");
  out.time = time_ = *time;
  for (std::string_view field; !(field = take_field(line)).empty();) {
    const auto microjoules = parse_number<uint64_t>(field);
    if (!microjoules && field != "?") throw Error("a reading is no number");
    out.microjoules.push_back(microjoules);
  }
  if (out.microjoules.size() != counters_.size() || counters_.empty())
    throw Error("a reading is not of all counters");
  if (readings_.size() == kMostReadings) throw Error("it says more than it was asked for");
  readings_.push_back(std::move(out));
}

std::optional<EnergyReport::Reading> EnergyReport::next() {
  if (readings_.empty()) return std::nullopt;
  std::optional<Reading> out = std::move(readings_.front());
  readings_.pop_front();
  return out;
}

}  // namespace aiflame::record
