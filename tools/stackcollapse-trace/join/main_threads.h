// SPDX-License-Identifier: MIT
// Finds the main thread of each process: the one that runs the Python program. Autograd's threads
// launch the backward pass on behalf of it, while it waits in loss.backward().
#pragma once

#include <cstdint>
#include <vector>

#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

// By thread: the main thread of its process, maybe itself. kNoNumber: there is none.
std::vector<uint32_t> find_main_threads(const Trace& trace, const Nesting& nesting);

}  // namespace aiflame::trace
