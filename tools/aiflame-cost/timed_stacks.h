// SPDX-License-Identifier: MIT
// Reads folded stacks whose counts are times.
#pragma once

#include <string>

#include "libcommon/base/count_sum.h"
#include "libcommon/folded/launch_fact.h"
#include "libcommon/folded/quantity.h"
#include "libcommon/io/spool.h"

namespace aiflame::cost {

struct TimedStacks {
  Spool lines;         // `STACK COUNT`, in the order of the input
  CountSum sum;        // of the counts
  double seconds = 0;  // the sum
  Quantity quantity;
  LaunchFacts launches;
};

// `unit` is the unit of a file that does not say it: "ns", "us", "ms" or "s"; or empty. Throws
// Error where a line is no stack, where the counts are no times, and where there is no time at all.
TimedStacks read_times(const std::string& path, const std::string& unit);

// Seconds of one count; nothing where the counts are no times. Samples of time have a period.
std::optional<double> seconds_of_count(const Quantity& quantity);

}  // namespace aiflame::cost
