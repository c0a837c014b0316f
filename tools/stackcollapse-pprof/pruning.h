// SPDX-License-Identifier: MIT
// drop_frames and keep_frames of a profile, as pprof applies them: what an allocator or a profiler
// does inside itself is cut off. A frame whose function matches the first and not the second is
// removed, with all that it calls; not before there is a frame of the user.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/stackcollapse-pprof/profile.h"

namespace aiflame::pprof {

class Pruning {
 public:
  // Prunes nothing.
  Pruning() = default;
  // Throws Error for an expression that is none.
  explicit Pruning(const Profile& profile);

  // How many of a location's frames are left, the outermost first, if the cut is there; all of
  // them else.
  struct Cut {
    bool cuts = false;
    uint32_t left = 0;
  };
  Cut at(uint32_t location) const { return cuts_.empty() ? Cut() : cuts_[location]; }

 private:
  std::vector<Cut> cuts_;  // by location
};

}  // namespace aiflame::pprof
