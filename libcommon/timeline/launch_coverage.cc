// SPDX-License-Identifier: MIT
#include "libcommon/timeline/launch_coverage.h"

#include <algorithm>

#include "libcommon/base/program.h"

namespace aiflame {

LaunchCoverage CoverageCount::sum() const {
  LaunchCoverage out = sum_;
  const uint64_t mean = replays_ == 0 ? 1 : std::max<uint64_t>(1, replayed_ / replays_);
  out.launched += empty_replays_ * mean;
  return out;
}

std::string coverage_text(const LaunchCoverage& coverage) {
  const double share =
      100 * static_cast<double>(coverage.kernels) / static_cast<double>(coverage.launched);
  return format("%llu of %llu launched kernels are recorded (%.2f %%)",
                static_cast<unsigned long long>(coverage.kernels),
                static_cast<unsigned long long>(coverage.launched), share) +
         (coverage.tells_idle() ? "" : ": time without records is not called idle");
}

}  // namespace aiflame
