// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/host_threads.h"

namespace aiflame::rocprof {

HostActivity make_host_activity(const ProcessTrace& process, const Settings& settings,
                                const RangeRoots& roots, const Launches& launches,
                                ImportedStacks& stacks) {
  HostActivity out(stacks);
  for (const ApiCall& call : launches.calls())
    out.add_call(call.thread, time_of(call.time), time_of(call.end),
                 phase_of_call(process.texts.text(call.name)), call.stack);
  // a range of all threads says of none what it does
  for (const MarkedRange& one : process.ranges)
    if (one.thread != 0 && roots.has(one))
      out.add_range(one.thread, time_of(one.begin), time_of(one.end), HostActivity::kNoFrame);
    else if (one.thread != 0 && (one.is_call ? settings.frames.runtime : settings.frames.range))
      out.add_range(one.thread, time_of(one.begin), time_of(one.end),
                    range_stack_frame(process, one, stacks));
  out.finish([&](uint64_t thread) { return launches.root(thread); });
  return out;
}

}  // namespace aiflame::rocprof
