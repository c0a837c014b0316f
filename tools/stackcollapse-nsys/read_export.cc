// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/read_export.h"

#include <optional>

#include "tools/stackcollapse-nsys/cpu_samples.h"
#include "tools/stackcollapse-nsys/device_work.h"

namespace aiflame::nsys {

void read_export(const std::string& path, const Settings& settings, ImportedStacks& stacks,
                 uint64_t& next_rank) {
  if (settings.cpu)
    stacks.quantity = {.event = "cpu-clock", .unit = "samples"};
  else
    stacks.quantity = {.event = "gpu-time", .unit = std::string(kNanoseconds), .measured = true};
  const SqliteDatabase database(path);
  const Strings strings(database);
  const NvtxRanges ranges(database, strings, settings, stacks);
  Processes processes(database, stacks);
  std::optional<Ranks> ranks;
  if (settings.rank) next_rank = ranks.emplace(database, next_rank).next();
  const Ranks* root_ranks = ranks ? &*ranks : nullptr;
  if (settings.cpu)
    return draw_cpu_samples(database, strings, settings, ranges, processes, root_ranks, stacks);
  const Launches launches(database, strings, settings, ranges, processes, stacks);
  DeviceWork(database, strings, settings, ranges, processes, root_ranks, launches, stacks).draw();
}

}  // namespace aiflame::nsys
