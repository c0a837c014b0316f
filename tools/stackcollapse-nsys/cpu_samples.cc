// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/cpu_samples.h"

#include "libcommon/base/program.h"
#include "tools/stackcollapse-nsys/call_chains.h"
#include "tools/stackcollapse-nsys/export_time.h"

namespace aiflame::nsys {

std::vector<HostCall> read_cpu_samples(
    const SqliteDatabase& database, const Strings& strings, const Settings& settings,
    const NvtxRanges& ranges, ImportedStacks& stacks,
    const std::function<uint32_t(const HostCall& sample)>& root_of) {
  std::vector<HostCall> samples;
  SqliteRows rows = database.rows("COMPOSITE_EVENTS", {"id", "start", "globalTid"}, 3);
  while (rows.next()) {
    const int64_t id = rows.need(0);
    samples.push_back({.thread = static_cast<uint64_t>(rows.need(2)),
                       .time = nanoseconds(rows.need(1)),
                       .id = id,
                       .chain = id});
  }
  sort_by_time(samples);
  for (HostCall& sample : samples) sample.stack = root_of(sample);
  ranges
      .around([&](uint64_t thread, uint64_t begin, uint64_t end) {
        return any_between(samples, thread, begin, end);
      })
      .enclose(samples);
  if (settings.frames.calls)
    CallChains(database, "SAMPLING_CALLCHAINS", strings, settings.import.names, samples, stacks)
        .stand_on(samples);
  return samples;
}

void draw_cpu_samples(const SqliteDatabase& database, const Strings& strings,
                      const Settings& settings, const NvtxRanges& ranges, Processes& processes,
                      const Ranks* ranks, ImportedStacks& stacks) {
  if (!database.has("COMPOSITE_EVENTS"))
    throw Error(database.path() +
                ": no table 'COMPOSITE_EVENTS': the recording has no CPU samples; see --sample of "
                "nsys profile");
  const auto root_of = [&](const HostCall& sample) {
    const int64_t process = process_of(sample.thread);
    uint32_t stack = ImportedStacks::kEmpty;
    if (settings.by_time.is_set()) stack = stacks.child(stack, settings.by_time.name(sample.time));
    stack = ranges.append_instance(stack, sample.thread, sample.time);
    if (ranks != nullptr) stack = stacks.child(stack, ranks->frame(process));
    return stacks.append(stack, processes.root(process));
  };
  for (const HostCall& sample :
       read_cpu_samples(database, strings, settings, ranges, stacks, root_of)) {
    stacks.read(1);
    stacks.add(sample.stack, 1);
  }
}

}  // namespace aiflame::nsys
