// SPDX-License-Identifier: MIT
// The frames that a `# idle` line is drawn under: `[gpu idle];[launch latency]`.
#pragma once

#include <string>

#include "libcommon/gpustall/idle_kind.h"

namespace aiflame::collapse {

// `has_stack`: a stack follows. Not for IdleKind::unplaced, which is no time of the device.
std::string idle_frames(IdleKind kind, bool has_stack);

}  // namespace aiflame::collapse
