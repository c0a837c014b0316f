// SPDX-License-Identifier: MIT
// What a profile says to look at first: the stalls of a kernel for one reason, and how much faster
// it could get at most without them (gain.h). aiflame-report lists them, and pictures name the
// largest. (pure)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "libcommon/findings/gain.h"

namespace aiflame {

// The samples of a kernel with one reason.
struct KernelReason {
  uint32_t kernel = 0;      // its number
  std::string_view reason;  // "long_scoreboard"; also work, and what others hide
  uint64_t samples = 0;     // all of them
  uint64_t stalls = 0;      // those to be rid of: the same, or the exposed ones alone
};

struct StallFinding {
  size_t index = 0;  // of what was given
  double share = 0;  // of the stalls of its kernel
  Gain gain;
};

struct StallFindings {
  std::vector<StallFinding> found;  // in the order of what was given
  // Hidden stalls have a reason of their own, so that the others are exposed.
  bool exposed = false;
};

// All samples with a reason, each kernel and reason once. Work is no finding, and neither is a
// stall that always costs nothing.
StallFindings find_stalls(const std::vector<KernelReason>& all);

}  // namespace aiflame
