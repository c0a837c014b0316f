// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/drawn_events.h"

#include <algorithm>
#include <set>
#include <utility>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"
#include "tools/stackcollapse-aiflame/fold/event_unit.h"

namespace aiflame::collapse {
namespace {

// Launches are drawn where there is nothing else.
std::string first_device_event(const Statistics& statistics) {
  for (const std::string_view event : kDeviceEvents)
    if (statistics.device.count(std::string(event)) != 0 &&
        (!is_launch_event(event) || statistics.cpu.empty()))
      return std::string(event);
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

// Makes one event of those that are one on several PMUs: `cpu_atom/cycles/+cpu_core/cycles/`.
void join_pmus(const EventChoice& cpu, Statistics& statistics) {
  std::string joined;
  uint64_t sum = 0;
  for (const auto& [event, samples] : cpu.samples()) {
    if (event.empty() || !cpu.draws(event)) continue;
    joined += (joined.empty() ? "" : "+") + event;
    sum += samples;
    ++statistics.pmus;
  }
  if (statistics.pmus < 2) {
    statistics.pmus = 0;
    return;
  }
  std::erase_if(statistics.cpu,
                [&](const auto& of) { return !of.first.empty() && cpu.draws(of.first); });
  statistics.cpu[joined] = sum;
  if (statistics.cpu_event == cpu.event()) statistics.cpu_event = joined;
}

// The error where --event fits no sample, with the events that would.
std::string no_such_event(const char* option, const Statistics& statistics) {
  constexpr size_t kMost = 20;
  std::string events;
  size_t named = 0;
  for (const auto& [name, samples] : statistics.cpu) {
    if (samples == 0 || named++ >= kMost) continue;
    events += format("%s%s (%llu)", events.empty() ? "" : ", ", printable(name).c_str(),
                     static_cast<unsigned long long>(samples));
  }
  for (const auto& [name, counts] : statistics.device)
    events += (events.empty() ? "" : ", ") + name;
  if (named > kMost) events += format(" and %zu more", named - kMost);
  return format("option '--%s': no samples of '%s'; the input has %s", option,
                printable(statistics.asked).c_str(),
                events.empty() ? "no samples" : events.c_str());
}

// Calls visit(sampler's number) for those whose samples are drawn.
template <typename Visit>
void each_drawn_sampler(const Counted& counted, uint32_t event, const Visit& visit) {
  for (uint32_t sampler = 0; sampler < counted.samplers.size(); ++sampler)
    if (counted.device.samples_drawn(event, sampler) > 0) visit(sampler);
}

// The periods of all samples that are drawn, sorted.
std::set<DevicePeriod> drawn_periods(const Counted& counted, uint32_t event) {
  std::set<DevicePeriod> out;
  each_drawn_sampler(counted, event,
                     [&](uint32_t sampler) { out.insert(counted.samplers[sampler].period); });
  return out;
}

// `period`: of no length where it is not known, or not the same for all.
Quantity device_quantity(std::string_view event, const DevicePeriod& period) {
  Quantity out{std::string(event), std::string(unit_of_device_event(event)), 0, ""};
  if (is_time_event(event) || is_launch_event(event)) {
    out.measured = true;
    return out;
  }
  out.period = period.length;
  out.period_unit = period.unit;
  return out;
}

Quantity device_quantity(const Counted& counted, std::string_view event) {
  const std::set<DevicePeriod> periods = drawn_periods(counted, device_event_number(event));
  return device_quantity(event, periods.size() == 1 ? *periods.begin() : DevicePeriod());
}

// Samples that stand for different times or cycles are added, unless they are scaled.
void warn_of_periods(const Counted& counted, std::string_view event) {
  if (!is_sampled_event(event)) return;
  const std::string unit(unit_of_device_event(event));
  std::string text;
  size_t known = 0;
  for (const DevicePeriod& period : drawn_periods(counted, device_event_number(event))) {
    if (period.length == 0) continue;
    if (++known > 2) break;
    text += format("%sof %llu %s", known == 1 ? "" : " and ",
                   static_cast<unsigned long long>(period.length), period.unit.c_str());
  }
  if (known < 2) return;
  std::set<uint64_t> devices;
  each_drawn_sampler(counted, device_event_number(event),
                     [&](uint32_t sampler) { devices.insert(counted.samplers[sampler].device); });
  warn("%s %s%s are added; fold the %s one by one to compare them", unit.c_str(), text.c_str(),
       known > 2 ? " and others" : "", devices.size() > 1 ? "devices (--devices)" : "recordings");
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
  const auto told = events.unit(statistics.pmus > 0 ? events.event() : event);
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

// What makes the samples of each sampler time. `why`: why one of them cannot be time.
std::vector<TimeScale> time_scales(const Counted& counted, const Statistics& statistics,
                                   std::string& why) {
  const std::string& event = statistics.drawn;
  const uint32_t number = device_event_number(event);
  std::vector<TimeScale> out(counted.samplers.size());
  each_drawn_sampler(counted, number, [&](uint32_t sampler) {
    const DeviceSampler& known = counted.samplers[sampler];
    const uint64_t busy = counted.device.samples_read(kTime, sampler);
    if (known.period.unit == kNanoseconds) {
      out[sampler] = TimeScale::of_period(known.period.length);
    } else if (busy > 0) {
      out[sampler] = TimeScale::of_busy(busy, counted.device.samples_read(number, sampler));
    } else if (why.empty()) {
      const bool none = statistics.busy == 0;
      Quantity quantity =
          none ? device_quantity(counted, event) : device_quantity(event, known.period);
      quantity.event.clear();
      why = event + " counts " + describe(quantity) + ", and no launch " +
            (none ? "" : "of device " + std::to_string(known.device) + " ") + "has a measured time";
    }
  });
  return out;
}

// Makes the device samples time, as the CPU samples are. out.quantity is that of the CPU samples,
// and becomes that of both.
void draw_as_time(const Counted& counted, const SampleWeights& weights, DrawnEvents& out) {
  Statistics& statistics = out.statistics;
  const std::string& event = statistics.drawn;
  const bool is_time = is_time_event(event);
  std::string why;
  if (is_memory_event(event)) why = event + " counts bytes, not time";
  if (is_launch_event(event)) why = event + " counts launches, not time";
  if (!is_time && why.empty()) out.scales = time_scales(counted, statistics, why);
  if (!out.quantity.is_time())
    why += (why.empty() ? "" : "; ") + no_time(statistics.cpu_event, out.quantity, weights);
  if (!why.empty()) throw Error("option '--cpu': both cannot be drawn as time: " + why);
  out.quantity = {event + "+" + statistics.cpu_event, std::string(kNanoseconds), 0, ""};
  if (is_time) return;
  const uint32_t number = device_event_number(event);
  uint64_t samples = 0;
  const uint64_t all = std::exchange(out.of_device, 0);
  each_drawn_sampler(counted, number, [&](uint32_t sampler) {
    const TimeScale& scale = out.scales[sampler];
    const uint64_t drawn = counted.device.samples_drawn(number, sampler);
    samples += drawn;
    add_samples(out.of_device, scale.of(drawn));
    const double length = scale.nanoseconds();
    statistics.sample_ns =
        statistics.sample_ns > 0 ? std::min(statistics.sample_ns, length) : length;
    statistics.longest_sample_ns = std::max(statistics.longest_sample_ns, length);
  });
  if (samples != all) throw Error("internal: the samples drawn are not those of the devices");
}

}  // namespace

DrawnEvents choose_events(const Counted& counted, const std::string& event, bool may_be_missing,
                          bool with_cpu, bool filtering) {
  DrawnEvents out;
  Statistics& statistics = out.statistics;
  static_cast<RecordedTotals&>(statistics) = counted.totals;
  statistics.device = counted.device.events();
  statistics.cpu = counted.cpu.events().samples();
  statistics.filtering = filtering;
  statistics.chosen = !event.empty();
  statistics.asked = event;
  statistics.drawn = statistics.chosen ? event : first_device_event(statistics);
  // A recording without its comments (`grep -v '^#'`) is perf script text to us, so an event called
  // gpu-stall may be a CPU event.
  out.device =
      is_device_event(statistics.drawn) && (statistics.device.count(statistics.drawn) != 0 ||
                                            statistics.cpu.count(statistics.drawn) == 0);

  // not all of them have been counted
  if (!is_launch_event(statistics.drawn))
    statistics.device.erase(std::string(kDeviceEvents[kLaunch]));

  const FilteredStacks* cpu = &counted.cpu.drawn();
  if (out.device) {
    for (const auto& [name, samples] : counted.launches.samples())
      add_samples(statistics.launches, samples);
    statistics.device[statistics.drawn];  // makes an entry, even without samples
    statistics.cpu_event = counted.cpu.events().event();
    join_pmus(counted.cpu.events(), statistics);
  } else {
    cpu = &choose_cpu_event(counted, statistics);
    join_pmus(counted.cpu.events(), statistics);
    statistics.drawn = statistics.cpu_event;
    if (statistics.chosen && statistics.cpu_samples() == 0) {
      const std::string why = no_such_event(may_be_missing ? "event-filter" : "event", statistics);
      if (!may_be_missing) throw Error(why);
      warn("%s", why.c_str());
    }
  }
  statistics.cpu_filtered = cpu->filtered();
  statistics.incomplete = cpu->incomplete();
  statistics.cpu_drawn = out.device && with_cpu;
  if (!out.device || with_cpu) out.cpu = cpu;
  const uint64_t of_cpu = out.cpu != nullptr ? out.cpu->stacks().total() : 0;
  out.of_device = out.device ? drawn_samples(statistics) : 0;
  if (of_cpu > 0) out.quantity = cpu_quantity(counted.cpu.events(), *cpu, statistics);
  if (out.of_device > 0 && of_cpu > 0) {
    draw_as_time(counted, cpu->weights(), out);
  } else if (out.of_device > 0) {
    out.quantity = device_quantity(counted, statistics.drawn);
    warn_of_periods(counted, statistics.drawn);
  }
  statistics.unit = out.quantity.unit;
  return out;
}

}  // namespace aiflame::collapse
