// SPDX-License-Identifier: MIT
// The name of the output file, with what tells the recordings of a job's ranks apart.
#pragma once

#include <string>

#include "libcommon/gpustall/process_facts.h"

namespace aiflame::record {

// Replaces %h (the host's name), %p (the recorder's process id), %r (rank), %j (job), %q{NAME} (an
// environment variable) and %% in `pattern`. `facts` are the recorder's own. Throws UsageError for
// any other use of %, and for what is not known.
std::string output_name(const std::string& pattern, const ProcessFacts& facts);

}  // namespace aiflame::record
