// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-pprof/sample_types.h"

#include <optional>
#include <string>
#include <vector>

namespace aiflame::pprof {
namespace {

constexpr std::string_view kCount = "count", kSamples = "samples";

struct TimeUnit {
  std::string_view name;
  uint64_t nanoseconds;
};

constexpr TimeUnit kTimes[] = {
    {"nanoseconds", 1},        {"ns", 1},       {"microseconds", 1000},  {"us", 1000},
    {"milliseconds", 1000000}, {"ms", 1000000}, {"seconds", 1000000000}, {"s", 1000000000},
};

uint64_t nanoseconds_of(std::string_view unit) {
  for (const TimeUnit& time : kTimes)
    if (time.name == unit) return time.nanoseconds;
  return 0;
}

// What is counted by "count": "objects" of alloc_objects, "contentions", else samples.
std::string counted(std::string_view type) {
  const std::string_view last = type.substr(type.rfind('_') + 1);
  return std::string(last.ends_with('s') && is_unit(last) ? last : kSamples);
}

std::string unit_of(std::string_view type, std::string_view unit) {
  if (nanoseconds_of(unit) != 0) return std::string(kNanoseconds);
  if (unit == kCount) return counted(type);
  return std::string(is_unit(unit) ? unit : "events");
}

std::optional<size_t> find(const Profile& profile, std::string_view name) {
  for (size_t i = 0; i < profile.sample_types().size(); ++i)
    if (profile.text(profile.sample_types()[i].type) == name) return i;
  return std::nullopt;
}

// .NET's profiles end with the time of locks, of which there may be none: the type itself, else the
// last time, else the last one, of those that have a value.
size_t with_values(const Profile& profile, size_t type) {
  const std::vector<bool> has_values = profile.types_with_values(type);
  if (has_values[type]) return type;
  std::optional<size_t> time, other;
  for (size_t i = 0; i < has_values.size(); ++i) {
    if (!has_values[i]) continue;
    (nanoseconds_of(profile.text(profile.sample_types()[i].unit)) != 0 ? time : other) = i;
  }
  return time.value_or(other.value_or(type));
}

size_t choose(const Profile& profile, std::string_view name) {
  if (!name.empty()) {
    if (const auto found = find(profile, name)) return *found;
    std::string all;
    for (const ValueType& one : profile.sample_types())
      all.append(all.empty() ? "" : ", ").append(profile.text(one.type));
    profile.fail("no sample type '" + std::string(name) + "'; it has: " + all);
  }
  const auto its = profile.default_sample_type() == 0
                       ? std::nullopt
                       : find(profile, profile.text(profile.default_sample_type()));
  return with_values(profile, its.value_or(profile.sample_types().size() - 1));
}

// What a sample stands for. Values in other units than samples and the period's own are scaled to
// the whole already: the objects of a heap.
void set_period(const Profile& profile, Quantity& quantity) {
  const std::string_view unit = profile.text(profile.period_type().unit);
  if (profile.period() <= 0 || !is_unit(unit)) return;
  const uint64_t nanoseconds = nanoseconds_of(unit);
  const std::string_view known = nanoseconds == 0 ? unit : kNanoseconds;
  if (quantity.unit != known && (quantity.unit != kSamples || unit == kCount)) return;
  uint64_t period = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(profile.period()),
                             nanoseconds == 0 ? 1 : nanoseconds, &period))
    return;
  quantity.period = period;
  quantity.period_unit = known;
}

// What the counts of folded text were when aiflame-export wrote it. Times are nanoseconds now.
Quantity exported_quantity(const Profile& profile) {
  for (const uint64_t comment : profile.comments()) {
    std::optional<Quantity> quantity = parse_quantity(profile.text(comment));
    if (!quantity) continue;
    if (nanoseconds_of(quantity->unit) != 0) quantity->unit = kNanoseconds;
    return *quantity;
  }
  return {};
}

}  // namespace

SampleChoice choose_sample_type(const Profile& profile, std::string_view name) {
  SampleChoice out;
  // its first value is what the folded text counts
  if (name.empty() && profile.is_exported()) {
    out.quantity = exported_quantity(profile);
    return out;
  }
  out.index = choose(profile, name);
  const ValueType& chosen = profile.sample_types()[out.index];
  const std::string_view type = profile.text(chosen.type), unit = profile.text(chosen.unit);
  out.quantity = {std::string(type), unit_of(type, unit)};
  if (const uint64_t nanoseconds = nanoseconds_of(unit)) out.scale = nanoseconds;
  set_period(profile, out.quantity);
  return out;
}

}  // namespace aiflame::pprof
