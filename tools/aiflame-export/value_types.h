// SPDX-License-Identifier: MIT
// What the counts of a profile are called in pprof and OTLP (pure).
//
//   # aiflame: event gpu-clock, unit samples, period 1003009 ns
//   gpu_samples/count and gpu_clock/nanoseconds; period wall/nanoseconds 1003009
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/folded/quantity.h"

namespace aiflame::exporter {

struct ValueType {
  std::string type, unit;
  uint64_t factor = 1;  // a count of folded text is so many of this unit
};

struct ValueTypes {
  std::vector<ValueType> values;  // the counts themselves, then what follows from them
  std::string period_type{}, period_unit{};
  uint64_t period = 0;  // 0: unknown
};
ValueTypes value_types(const Quantity& quantity);

// How many nanoseconds a unit is; 0 for what is no time.
uint64_t nanoseconds_of(std::string_view unit);

// An event as a name that Parca and Pyroscope accept as a part of a label: "gpu_stall".
std::string metric_name(std::string_view event);

// The count as a whole number of the value's units. `count` is known to fit, and to be whole.
uint64_t value_of(const Count& count, const ValueType& type);

}  // namespace aiflame::exporter
