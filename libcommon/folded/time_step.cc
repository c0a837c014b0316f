// SPDX-License-Identifier: MIT
#include "libcommon/folded/time_step.h"

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/time_slice.h"

namespace aiflame {
namespace {

constexpr uint64_t kSecond = 1000000000;

}  // namespace

TimeStep::TimeStep(std::string_view milliseconds) {
  const auto thousandfold = parse_seconds(milliseconds);
  if (!thousandfold || *thousandfold == 0 || *thousandfold % 1000 != 0)
    throw UsageError(format("option '--by-time': '%s' is not a time in milliseconds",
                            std::string(milliseconds).c_str()));
  length_ = *thousandfold / 1000;
  uint64_t unit = kSecond / 1000;
  for (; length_ % unit != 0; unit /= 10) ++decimals_;
}

std::string TimeStep::name(std::optional<uint64_t> time) const {
  if (!time) return std::string(kUnknownSlice);
  const uint64_t start = *time - *time % length_;
  std::string fraction = format("%09llu", static_cast<unsigned long long>(start % kSecond));
  fraction.resize(decimals_);
  return std::to_string(start / kSecond) + "." + fraction;
}

}  // namespace aiflame
