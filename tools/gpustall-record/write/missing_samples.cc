// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/missing_samples.h"

#include <cinttypes>

#include "libcommon/base/program.h"
#include "libcommon/folded/quantity.h"

namespace aiflame::record {
namespace {

// Kernels that ran for fewer periods may well have no sample.
constexpr uint64_t kFewPeriods = 5;

std::string duration(uint64_t ns) {
  return format_quantity(ns, 0, kNanoseconds);
}

std::string why_no_launches(uint64_t programs) {
  if (programs == 1) return "no launches: the program that loaded an agent launched no kernel";
  return format("no launches: none of the %" PRIu64
                " programs that loaded an agent launched a kernel",
                programs);
}

std::string why_no_samples(const CaptureTotals& totals, const Expected& expected) {
  const char* source = expected.source.c_str();
  if (expected.finds_code && totals.source_objects == 0)
    return format("no samples: the kernels ran on no device of source '%s'; see --list", source);
  if (totals.busy_ns == 0)
    return format("no samples: source '%s' gave none; how long the kernels ran is not known",
                  source);
  const std::string ran = "the kernels ran for " + duration(totals.busy_ns) + " in all";
  if (totals.busy_ns < kFewPeriods * expected.period_ns)
    return format("no samples: %s, and one is taken each %s; see --period", ran.c_str(),
                  duration(expected.period_ns).c_str());
  return format("no samples: source '%s' gave none, though %s", source, ran.c_str());
}

}  // namespace

std::string what_is_missing(const CaptureTotals& totals, const Expected& expected) {
  if (totals.launches == 0) {
    const bool is_told =
        totals.lost_launches > 0 || totals.turned_away > 0 || totals.complaints > 0;
    return expected.programs == 0 || is_told ? "" : why_no_launches(expected.programs);
  }
  const bool is_counted = totals.lost > 0 || totals.lost_unknown > 0;
  if (expected.source.empty() || totals.samples > 0 || is_counted) return "";
  return why_no_samples(totals, expected);
}

}  // namespace aiflame::record
