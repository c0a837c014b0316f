// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/host_threads.h"

#include <algorithm>

#include "tools/stackcollapse-nsys/nvtx_ranges.h"

namespace aiflame::nsys {
namespace {

// A range that was never closed ends with time itself.
int64_t time_of(uint64_t nanoseconds) {
  return static_cast<int64_t>(std::min(nanoseconds, static_cast<uint64_t>(INT64_MAX)));
}

}  // namespace

HostActivity read_host_activity(const Database& database, const Strings& strings,
                                const Settings::Frames& frames, const Launches& launches,
                                Processes& processes, ImportedStacks& stacks) {
  HostActivity out(stacks);
  for (const HostCall& call : launches.calls())
    out.add_call(call.thread, time_of(call.time), time_of(call.end),
                 phase_of_call(stacks.text(call.name)), call.stack);
  each_nvtx_range(database, strings, frames, stacks,
                  [&](uint64_t thread, uint64_t begin, uint64_t end, uint32_t frame) {
                    out.add_range(thread, time_of(begin), time_of(end), frame);
                  });
  out.finish([&](uint64_t thread) { return processes.root(process_of(thread)); });
  return out;
}

}  // namespace aiflame::nsys
