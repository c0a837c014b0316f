// SPDX-License-Identifier: MIT
// The time of the host's threads: each event on the events that hold it.
#pragma once

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-xplane/root_frames.h"
#include "tools/stackcollapse-xplane/time_base.h"
#include "tools/stackcollapse-xplane/xspace.h"

namespace aiflame::xplane {

void fold_host_time(const Plane& plane, const TimeBase& times, const RootFrames& roots,
                    const NameRules& rules, ImportedStacks& stacks);

}  // namespace aiflame::xplane
