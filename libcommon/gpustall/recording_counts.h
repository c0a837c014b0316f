// SPDX-License-Identifier: MIT
// What a recording, or a part of one, has of samples, launches and losses. Its last line says the
// first three.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcommon/base/sample_sum.h"
#include "libcommon/gpustall/gpustall_record.h"

namespace aiflame {

struct RecordingCounts {
  uint64_t samples = 0, launches = 0, memory = 0;  // memory: allocations and frees
  uint64_t lost = 0, lost_launches = 0, lost_memory = 0;
  // reports of losses without a number
  uint64_t lost_unknown = 0, lost_launches_unknown = 0, lost_memory_unknown = 0;
  bool operator==(const RecordingCounts&) const = default;

  void add(const RecordingCounts& other) {
    add_saturating(samples, other.samples);
    add_saturating(launches, other.launches);
    add_saturating(memory, other.memory);
    add_saturating(lost, other.lost);
    add_saturating(lost_launches, other.lost_launches);
    add_saturating(lost_memory, other.lost_memory);
    add_saturating(lost_unknown, other.lost_unknown);
    add_saturating(lost_launches_unknown, other.lost_launches_unknown);
    add_saturating(lost_memory_unknown, other.lost_memory_unknown);
  }
  // `count` UINT64_MAX: not known. `what`: "" for samples, kLostLaunches or kLostMemory.
  void add_loss(std::string_view what, uint64_t count) {
    const bool is_memory = what == kLostMemory;
    if (count != UINT64_MAX)
      add_saturating(what.empty() ? lost : (is_memory ? lost_memory : lost_launches), count);
    else
      ++(what.empty() ? lost_unknown : (is_memory ? lost_memory_unknown : lost_launches_unknown));
  }
  // Whether a sum has reached its end: then it says "at least".
  bool is_saturated() const {
    return samples == UINT64_MAX || launches == UINT64_MAX || lost == UINT64_MAX ||
           lost_launches == UINT64_MAX || memory == UINT64_MAX || lost_memory == UINT64_MAX;
  }
};

}  // namespace aiflame
