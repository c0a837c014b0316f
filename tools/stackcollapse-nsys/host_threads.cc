// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/host_threads.h"

#include <algorithm>
#include <vector>

#include "tools/stackcollapse-nsys/cpu_samples.h"

namespace aiflame::nsys {
namespace {

// A range that was never closed ends with time itself.
int64_t time_of(uint64_t nanoseconds) {
  return static_cast<int64_t>(std::min(nanoseconds, static_cast<uint64_t>(INT64_MAX)));
}

// The median of the times from a sample to the next one of its thread. 0: there are no two.
uint64_t period_of(const std::vector<HostCall>& samples) {
  std::vector<uint64_t> out;
  for (size_t i = 1; i < samples.size(); ++i)
    if (samples[i].thread == samples[i - 1].thread)
      out.push_back(samples[i].time - samples[i - 1].time);
  if (out.empty()) return 0;
  const auto middle = out.begin() + static_cast<ptrdiff_t>(out.size() / 2);
  std::nth_element(out.begin(), middle, out.end());
  return *middle;
}

// A sample is taken when a thread has run for a period. So it stands for a period before it, as far
// as the sample before does not.
void add_samples(const std::vector<HostCall>& samples, HostActivity& out) {
  const uint64_t period = period_of(samples);
  for (size_t i = 0; i < samples.size(); ++i) {
    const HostCall& one = samples[i];
    uint64_t begin = one.time - std::min(one.time, period);
    if (i > 0 && samples[i - 1].thread == one.thread) begin = std::max(begin, samples[i - 1].time);
    out.add_sample(one.thread, time_of(begin), time_of(one.time), one.stack);
  }
}

}  // namespace

HostActivity read_host_activity(const SqliteDatabase& database, const Strings& strings,
                                const Settings& settings, const NvtxRanges& ranges,
                                const Launches& launches, Processes& processes,
                                ImportedStacks& stacks) {
  HostActivity out(stacks);
  for (const HostCall& call : launches.calls())
    out.add_call(call.thread, time_of(call.time), time_of(call.end),
                 phase_of_call(stacks.text(call.name)), call.stack);
  ranges.each([&](uint64_t thread, uint64_t begin, uint64_t end, uint32_t frame) {
    out.add_range(thread, time_of(begin), time_of(end), frame);
  });
  const auto root_of = [&](uint64_t thread) { return processes.root(process_of(thread)); };
  add_samples(read_cpu_samples(database, strings, settings, ranges, stacks,
                               [&](const HostCall& sample) { return root_of(sample.thread); }),
              out);
  out.finish(root_of);
  return out;
}

}  // namespace aiflame::nsys
