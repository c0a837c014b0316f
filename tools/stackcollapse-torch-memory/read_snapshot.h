// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "tools/stackcollapse-torch-memory/snapshot.h"

namespace aiflame::torch_memory {

// Reads a pickle, compressed or not, or the page that _memory_viz.py trace_plot makes of it; "-" is
// standard input. Throws Error: a snapshot that is cut, or is anything else, is not used.
std::unique_ptr<Snapshot> read_snapshot(const std::string& path);

}  // namespace aiflame::torch_memory
