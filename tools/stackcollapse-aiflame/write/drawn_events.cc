// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/drawn_events.h"

#include "libcommon/base/sample_sum.h"

namespace aiflame::collapse {
namespace {

std::string first_device_event(const Statistics& statistics) {
  for (const std::string_view event : kDeviceEvents)
    if (statistics.device.count(std::string(event)) != 0) return std::string(event);
  return "";
}

// Without a device in the input, launches are samples of an event like any other, and are drawn if
// theirs is the first.
const FilteredStacks& choose_cpu_event(const Counted& counted, Statistics& statistics) {
  const EventChoice& cpu = counted.cpu.events();
  const LaunchSamples& launches = counted.launches;
  for (const auto& [event, samples] : launches.samples()) statistics.cpu[event] += samples;
  if (launches.event().empty() || (cpu.known() && !launches.is_first())) {
    statistics.cpu_event = cpu.event();
    return counted.cpu.drawn();
  }
  statistics.cpu_event = launches.event();
  return launches.drawn();
}

}  // namespace

DrawnEvents choose_events(const Counted& counted, const std::string& event, bool with_cpu,
                          bool filtering) {
  DrawnEvents out;
  Statistics& statistics = out.statistics;
  static_cast<RecordedTotals&>(statistics) = counted.totals;
  statistics.device = counted.device.events();
  statistics.cpu = counted.cpu.events().samples();
  statistics.filtering = filtering;
  statistics.chosen = !event.empty();
  statistics.drawn = statistics.chosen ? event : first_device_event(statistics);
  // A recording without its comments (`grep -v '^#'`) is perf script text to us, so an event called
  // gpu-stall may be a CPU event.
  out.device =
      is_device_event(statistics.drawn) && (statistics.device.count(statistics.drawn) != 0 ||
                                            statistics.cpu.count(statistics.drawn) == 0);

  const FilteredStacks* cpu = &counted.cpu.drawn();
  if (out.device) {
    for (const auto& [name, samples] : counted.launches.samples())
      add_samples(statistics.launches, samples);
    statistics.device[statistics.drawn];  // makes an entry, even without samples
    statistics.cpu_event = counted.cpu.events().event();
  } else {
    cpu = &choose_cpu_event(counted, statistics);
    if (!statistics.chosen) statistics.drawn = statistics.cpu_event;
  }
  statistics.cpu_filtered = cpu->filtered();
  statistics.incomplete = cpu->incomplete();
  statistics.cpu_drawn = out.device && with_cpu;
  if (!out.device || with_cpu) out.cpu = cpu;
  return out;
}

}  // namespace aiflame::collapse
