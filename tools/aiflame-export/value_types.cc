// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/value_types.h"

#include <algorithm>

#include "libcommon/base/parse.h"

namespace aiflame::exporter {
namespace {

constexpr const char* kCount = "count";
constexpr const char* kNanosecondsOfPprof = "nanoseconds";

// What samples are called beside the time that they stand for.
std::string samples_name(std::string_view event) {
  return event.starts_with("gpu-") ? "gpu_samples" : "samples";
}

bool is_count(std::string_view unit) {
  return unit.empty() || unit == "samples" || unit == "stalls" || unit == "events" ||
         unit == "cycles";
}

}  // namespace

uint64_t nanoseconds_of(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1000;
  if (unit == "ms") return 1000000;
  if (unit == "s") return 1000000000;
  return 0;
}

std::string metric_name(std::string_view event) {
  std::string out(event);
  const auto is_allowed = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  std::replace_if(
      out.begin(), out.end(), [&](char c) { return !is_allowed(c); }, '_');
  if (!out.empty() && is_digit(out.front())) out.insert(0, "_");
  return out;
}

ValueTypes value_types(const Quantity& quantity) {
  ValueTypes out;
  const std::string event = metric_name(!quantity.event.empty()  ? quantity.event
                                        : !quantity.unit.empty() ? quantity.unit
                                                                 : "samples");
  const uint64_t time = nanoseconds_of(quantity.unit);
  const uint64_t period_time = nanoseconds_of(quantity.period_unit);
  uint64_t period = quantity.period;
  // a period that is no number of pprof's is left out
  if (!multiply_checked(period, std::max<uint64_t>(period_time, 1)) || period > INT64_MAX)
    period = 0;
  if (time > 0) {
    out.values.push_back({event, kNanosecondsOfPprof, time});
  } else if (quantity.unit == "samples" && period > 0 && period_time > 0) {
    out.values.push_back({samples_name(quantity.event), kCount});
    out.values.push_back({event, kNanosecondsOfPprof, period});
  } else {
    out.values.push_back({event, is_count(quantity.unit) ? kCount : quantity.unit});
  }
  if (period == 0) return out;
  out.period = period;
  out.period_type = period_time > 0 ? "wall" : metric_name(quantity.period_unit);
  out.period_unit = period_time > 0 ? kNanosecondsOfPprof : kCount;
  return out;
}

uint64_t value_of(const Count& count, const ValueType& type) {
  uint64_t out = count.value, divisor = 1;
  for (unsigned i = 0; i < count.decimals; ++i) divisor *= 10;
  return divisor > 1 ? out * (type.factor / divisor) : out * type.factor;
}

}  // namespace aiflame::exporter
