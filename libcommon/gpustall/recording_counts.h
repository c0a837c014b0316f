// SPDX-License-Identifier: MIT
// What a recording, or a part of one, has of samples, launches and losses. Its last line says the
// first three.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcommon/base/sample_sum.h"

namespace aiflame {

struct RecordingCounts {
  uint64_t samples = 0, launches = 0;
  uint64_t lost = 0, lost_launches = 0;
  // reports of losses without a number
  uint64_t lost_unknown = 0, lost_launches_unknown = 0;
  bool operator==(const RecordingCounts&) const = default;

  void add(const RecordingCounts& other) {
    add_saturating(samples, other.samples);
    add_saturating(launches, other.launches);
    add_saturating(lost, other.lost);
    add_saturating(lost_launches, other.lost_launches);
    add_saturating(lost_unknown, other.lost_unknown);
    add_saturating(lost_launches_unknown, other.lost_launches_unknown);
  }
  // `count` UINT64_MAX: not known. `what`: "" for samples, "gpu-launch" for launches.
  void add_loss(std::string_view what, uint64_t count) {
    if (count != UINT64_MAX)
      add_saturating(what.empty() ? lost : lost_launches, count);
    else
      ++(what.empty() ? lost_unknown : lost_launches_unknown);
  }
  // Whether a sum has reached its end: then it says "at least".
  bool is_saturated() const {
    return samples == UINT64_MAX || launches == UINT64_MAX || lost == UINT64_MAX ||
           lost_launches == UINT64_MAX;
  }
};

}  // namespace aiflame
