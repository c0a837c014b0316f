// SPDX-License-Identifier: MIT
// Chooses the functions to list, and writes them one after the other.
#pragma once

#include "libcommon/base/output.h"
#include "tools/aiflame-annotate/sampled_code_table.h"
#include "tools/aiflame-annotate/settings.h"
#include "tools/aiflame-annotate/statistics.h"

namespace aiflame::annotate {

// Throws Error where the samples written are not those that were read.
// `links` gets those of --links, if it is there.
Statistics write_listing(const SampledCodeTable& table, const Settings& settings, Output& out,
                         Output* links = nullptr);

}  // namespace aiflame::annotate
