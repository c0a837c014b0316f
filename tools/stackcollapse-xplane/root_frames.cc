// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/root_frames.h"

#include <algorithm>

#include "tools/stackcollapse-xplane/time_base.h"

namespace aiflame::xplane {

uint32_t RootFrames::stack_at(int64_t time) const {
  uint32_t out = ImportedStacks::kEmpty;
  if (settings_.by_time.is_set())
    out = stacks_.child(out, settings_.by_time.name(
                                 static_cast<uint64_t>(std::max<int64_t>(time, 0) / kPicoseconds)));
  if (settings_.rank) out = stacks_.child(out, host_);
  return out;
}

}  // namespace aiflame::xplane
