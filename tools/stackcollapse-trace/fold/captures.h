// SPDX-License-Identifier: MIT
// --graph-names: what was launched while a stream was captured, from traces of that time. Each
// launch has the name of its kernel, as far as the profiler wrote it (args.kernel), and its stack.
#pragma once

#include <cstdint>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/fold/host_stacks.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

// From the begin of a capture to its end.
struct Capture {
  std::vector<uint32_t> names;   // of kernels: their frames; see kNoName and copy_name()
  std::vector<uint32_t> stacks;  // by launch: the host's frames, the call included
};

// Stands for the name of copies and memsets, which have other names when they run.
uint32_t copy_name(ImportedStacks& stacks);

// Adds the captures of a trace.
void find_captures(const Trace& trace, HostStacks& host, ImportedStacks& stacks,
                   std::vector<Capture>& out);

}  // namespace aiflame::trace
