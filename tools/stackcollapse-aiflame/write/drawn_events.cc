// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/drawn_events.h"

#include <algorithm>
#include <iterator>

#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"
#include "tools/stackcollapse-aiflame/fold/event_unit.h"

namespace aiflame::collapse {
namespace {

constexpr std::string_view kTimeUnit = "ns";

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

Quantity device_quantity(const DeviceCounts& counts, std::string_view event) {
  Quantity out{std::string(event), std::string(unit_of_device_event(event)), 0, ""};
  const auto at = std::find(std::begin(kDeviceEvents), std::end(kDeviceEvents), event);
  if (*at == kDeviceEvents[kTime]) return out;
  const DevicePeriod& period = counts.period(static_cast<uint32_t>(at - kDeviceEvents));
  out.period = period.length;
  out.period_unit = period.unit;
  return out;
}

uint64_t drawn_samples(const Statistics& statistics) {
  const EventCounts& counts = statistics.device.at(statistics.drawn);
  return counts.samples - counts.filtered;
}

// What is drawn of perf script text alone must equal stackcollapse-perf.pl's output: it has none.
Quantity cpu_quantity(const EventChoice& events, const FilteredStacks& drawn,
                      const Statistics& statistics) {
  const std::string& event = statistics.cpu_event;
  const SampleWeights& weights = drawn.weights();
  const auto told = events.unit(event);
  if (!told && !statistics.has_device_events()) return {};
  if (weights.has_plain() && weights.has_periods()) return {};
  Quantity out{event, std::string(told ? *told : unit_of_cpu_event(event)), 0, ""};
  if (weights.has_plain() && out.unit != "events") out.unit = "samples";
  if (weights.common() > 1) {
    out.period = weights.common();
    out.period_unit = out.unit;
  }
  return out;
}

// Why the CPU samples are no time.
std::string no_time(const std::string& event, const Quantity& cpu, const SampleWeights& weights) {
  if (weights.has_plain())
    return std::string(weights.has_periods() ? "some" : "the") + " samples of " + event +
           " have no period ('perf script -F +period' prints it)";
  return event + " counts " + cpu.unit + ", not time ('perf record -e cpu-clock' counts ns)";
}

// The scale of the device samples that makes them time, as the CPU samples are. `quantity` is that
// of the CPU samples, and becomes that of both.
TimeScale common_scale(const Counted& counted, Statistics& statistics, const SampleWeights& weights,
                       Quantity& quantity) {
  const std::string& event = statistics.drawn;
  const Quantity device = device_quantity(counted.device, event);
  TimeScale scale;
  std::string why;
  if (device.period_unit == kTimeUnit) {
    scale = TimeScale::of_period(device.period);
  } else if (device.unit != kTimeUnit && statistics.busy > 0) {
    scale = TimeScale::of_busy(statistics.busy, statistics.device.at(event).samples);
  } else if (device.unit != kTimeUnit) {
    why = event + " counts " + describe({"", device.unit, device.period, device.period_unit}) +
          ", and no launch has a measured time";
  }
  if (quantity.unit != kTimeUnit)
    why += (why.empty() ? "" : "; ") + no_time(statistics.cpu_event, quantity, weights);
  if (!why.empty()) throw Error("option '--cpu': both cannot be drawn as time: " + why);
  quantity = {event + "+" + statistics.cpu_event, std::string(kTimeUnit), 0, ""};
  statistics.sample_ns = device.unit == kTimeUnit ? 0 : scale.nanoseconds();
  return scale;
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
  const uint64_t of_cpu = out.cpu != nullptr ? out.cpu->stacks().total() : 0;
  const uint64_t of_device = out.device ? drawn_samples(statistics) : 0;
  if (of_cpu > 0) out.quantity = cpu_quantity(counted.cpu.events(), *cpu, statistics);
  if (of_device > 0 && of_cpu > 0)
    out.scale = common_scale(counted, statistics, cpu->weights(), out.quantity);
  else if (of_device > 0)
    out.quantity = device_quantity(counted.device, statistics.drawn);
  statistics.unit = out.quantity.unit;
  return out;
}

}  // namespace aiflame::collapse
