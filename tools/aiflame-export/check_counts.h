// SPDX-License-Identifier: MIT
#pragma once

#include "tools/aiflame-export/export_settings.h"
#include "tools/aiflame-export/read_stacks.h"

namespace aiflame::exporter {

// Throws Error where a format cannot hold the profiles: pprof holds one event, and all but
// speedscope hold whole numbers of 63 bits. Times with a fraction are whole in nanoseconds.
void check_counts(const std::vector<Profile>& profiles, Format format);

}  // namespace aiflame::exporter
