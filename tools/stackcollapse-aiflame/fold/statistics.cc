// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/statistics.h"

#include <algorithm>
#include <iterator>

#include "libcommon/base/json.h"
#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"
#include "libcommon/folded/quantity.h"
#include "libcommon/folded/unit_scale.h"
#include "libcommon/timeline/device_timeline.h"
#include "libcommon/timeline/memory_moment.h"
#include "tools/stackcollapse-aiflame/fold/device_events.h"

namespace aiflame::collapse {
namespace {

unsigned long long wide(uint64_t number) {
  return number;
}

// The reasons that instructions without a name have.
template <typename Visit>
void each_unnamed(const EventCounts& counts, const Visit& visit) {
  for (size_t i = static_cast<size_t>(Unnamed::no) + 1; i < kUnnamedReasons; ++i)
    visit(static_cast<Unnamed>(i), counts.unnamed[i]);
}

// "; 34 of unnamed instructions (30 no disassembler, 4 not decodable)", or empty.
std::string unnamed_text(const EventCounts& counts) {
  uint64_t all = 0;
  std::string reasons;
  each_unnamed(counts, [&](Unnamed reason, uint64_t count) {
    if (count == 0) return;
    all += count;
    reasons +=
        format("%s%llu %s", reasons.empty() ? "" : ", ", wide(count), unnamed_phrase(reason));
  });
  return all == 0 ? "" : format("; %llu of unnamed instructions (%s)", wide(all), reasons.c_str());
}

std::string unnamed_json(const EventCounts& counts) {
  std::string out;
  each_unnamed(counts, [&](Unnamed reason, uint64_t count) {
    out += format("%s\"%s\":%llu", out.empty() ? ",\"unnamed\":{" : ",", unnamed_key(reason),
                  wide(count));
  });
  return out + "}";
}

double seconds(uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

}  // namespace

std::string Statistics::line() const {
  const auto of_drawn = device.find(drawn);
  const EventCounts counts = of_drawn == device.end() ? EventCounts() : of_drawn->second;
  std::string out;
  if (drawn == "gpu-time") {
    out = format("gpu-time: %.9f s of %llu launches, %llu launches lost", seconds(counts.samples),
                 wide(launches), wide(lost_launches));
    if (lost_launches_unknown) out += " and more";
    if (ran_beside > 0) out += format(", %.9f s beside other work", seconds(ran_beside));
    if (filtering) out += format(", %.9f s filtered out", seconds(counts.filtered));
  } else if (drawn == kDeviceEvents[kWait]) {
    out = format("gpu-wait: %.9f s in %llu calls", seconds(counts.samples), wide(waits));
    if (filtering) out += format(", %.9f s filtered out", seconds(counts.filtered));
  } else if (is_memory_event(drawn)) {
    out = "gpu-memory: " + memory_line(counts);
  } else if (is_launch_event(drawn) && of_drawn != device.end()) {
    out = format("gpu-launch: %llu launches, %llu%s lost", wide(counts.samples),
                 wide(lost_launches), lost_launches_unknown ? " and more" : "");
    if (filtering) out += format(", %llu filtered out", wide(counts.filtered));
  } else if (of_drawn == device.end() && !is_device_event(drawn)) {
    out = drawn + ": " + cpu_line();
  } else {
    out = format("%s: %llu samples: %llu exact, %llu apportioned", drawn.c_str(),
                 wide(counts.samples), wide(counts.exact), wide(counts.apportioned));
    if (counts.by_number > 0)
      out += format(" (%llu by number of launches)", wide(counts.by_number));
    if (counts.presumed > 0) out += format(", %llu presumed", wide(counts.presumed));
    out += format(", %llu unattributed, %llu lost", wide(counts.unattributed), wide(lost));
    if (lost_unknown) out += " and more";
    if (const auto exposed = device.find(std::string(kExposedEvent));
        exposed != device.end() && drawn == kDeviceEvents[kStall])
      out += format("; %llu of them exposed", wide(exposed->second.samples));
    out += unnamed_text(counts);
    if (lost_launches > 0 || lost_launches_unknown)
      out += format(", %llu%s launches lost", wide(lost_launches),
                    lost_launches_unknown ? " and more" : "");
    if (filtering) out += format(", %llu filtered out", wide(counts.filtered));
  }
  if (!is_memory_event(drawn)) out += busy_line();
  if (sample_ns > 0) {
    out += format("; drawn as time beside %s: a sample is %.0f", cpu_event.c_str(), sample_ns);
    out += longest_sample_ns > sample_ns ? format(" to %.0f ns, by its device", longest_sample_ns)
                                         : " ns";
  }
  if (filtering && cpu_drawn) out += "; " + cpu_event + ": " + filter_line();
  if (const std::string others = not_drawn(); !others.empty()) out += "; not drawn: " + others;
  return out;
}

std::string Statistics::memory_line(const EventCounts& counts) const {
  const uint64_t drawn_counts = counts.samples - counts.filtered;
  std::string out = count_text(blocks, "block");
  if (unit == kBytes) out = bytes_text(drawn_counts) + " in " + out;
  out += format("; %llu allocations, %llu frees, %llu%s lost", wide(allocations), wide(frees),
                wide(lost_memory), lost_memory_unknown ? " and more" : "");
  if (filtering) out += ", " + format_quantity(counts.filtered, 0, unit) + " filtered out";
  return out;
}

std::string Statistics::busy_line() const {
  constexpr size_t kMost = 8;  // devices that are named; --stats has all
  std::string out;
  size_t named = 0, more = 0;
  for (const auto& [index, use] : devices) {
    if (!use.measured || use.recorded == 0) continue;
    if (named++ == kMost) --named, ++more;
    if (more > 0) continue;
    out += named == 1 ? "; device " : ", device ";
    if (devices.size() > 1) out += std::to_string(index) + " ";
    out += format("busy %.3f s of %.3f s (", seconds(use.busy), seconds(use.recorded));
    const double percent =
        100.0 * static_cast<double>(use.busy) / static_cast<double>(use.recorded);
    if (use.processes > 1)
      out += format("%.1f %% each of %zu processes that share it)",
                    percent / static_cast<double>(use.processes), use.processes);
    else
      out += percent > 100 ? std::string("its launches overlap)") : format("%.1f %%)", percent);
  }
  if (more > 0) out += format(", %zu more devices", more);
  return out;
}

std::vector<std::string> Statistics::window_lines() const {
  std::vector<std::string> out;
  for (const auto& [index, use] : devices) {
    if (!tells_windows || !use.has_window) continue;
    const std::string name = "device " + std::to_string(index) + ": ";
    if (!use.coverage.is_whole()) out.push_back(name + coverage_text(use.coverage));
    DeviceTimeline timeline;
    std::copy(std::begin(use.classes), std::end(use.classes), timeline.classes);
    timeline.idle = use.idle;
    uint64_t window = use.idle;
    for (const uint64_t time : use.classes) add_samples(window, time);
    timeline.to = static_cast<int64_t>(std::min<uint64_t>(window, INT64_MAX));
    out.push_back(name +
                  timeline_text(timeline, use.coverage.tells_idle() ? "idle" : "not recorded"));
  }
  return out;
}

uint64_t Statistics::cpu_samples() const {
  uint64_t samples = 0;
  for (const auto& [event, count] : cpu)
    if (event.empty() || event == cpu_event) samples += count;  // those of no event are drawn too
  return samples;
}

std::string Statistics::cpu_line() const {
  std::string out = filtering ? filter_line() : format("%llu samples", wide(cpu_samples()));
  if (lost > 0 || lost_unknown)
    out += format("; %llu%s device samples lost", wide(lost), lost_unknown ? " and more" : "");
  if (lost_launches > 0 || lost_launches_unknown)
    out += format("; %llu%s launches lost", wide(lost_launches),
                  lost_launches_unknown ? " and more" : "");
  return out;
}

std::string Statistics::filter_line() const {
  std::string out =
      format("%llu of %llu samples filtered out", wide(cpu_filtered), wide(cpu_samples()));
  if (incomplete > 0)
    out += format(", %llu of them for not telling their process or time", wide(incomplete));
  return out;
}

std::string Statistics::not_drawn() const {
  std::string others;
  const auto add = [&](const std::string& what) { others += (others.empty() ? "" : ", ") + what; };
  for (const auto& [event, other] : device) {
    if (event == drawn) continue;
    // the exposed stalls are drawn with all stalls
    if (event == kExposedEvent && drawn == kDeviceEvents[kStall]) continue;
    if (is_time_event(event))
      add(format("%s %.9f s", event.c_str(), seconds(other.samples)));
    else if (is_memory_event(event))
      add(format("%s %s", event.c_str(), bytes_text(other.samples).c_str()));
    else
      add(format("%llu %s", wide(other.samples), event.c_str()));
  }
  for (const auto& [event, samples] : cpu)
    if (event != drawn && !(cpu_drawn && event == cpu_event))
      add(format("%llu %s", wide(samples), event.empty() ? "other" : event.c_str()));
  return others;
}

std::string Statistics::json() const {
  std::string out = "{\"event\":" + json_string(drawn) +
                    ",\"unit\":" + (unit.empty() ? "null" : json_string(unit)) + ",\"device\":{";
  bool first = true;
  for (const auto& [event, counts] : device) {
    out += format(
        "%s%s:{\"%s\":%llu,\"exact\":%llu,\"apportioned\":%llu,\"apportioned_by_number\":%llu,"
        "\"presumed\":%llu,\"unattributed\":%llu,\"filtered\":%llu",
        first ? "" : ",", json_string(event).c_str(),
        is_time_event(event)     ? "nanoseconds"
        : is_memory_event(event) ? (unit == "blocks" ? "blocks" : "bytes")
        : is_launch_event(event) ? "launches"
                                 : "samples",
        wide(counts.samples), wide(counts.exact), wide(counts.apportioned), wide(counts.by_number),
        wide(counts.presumed), wide(counts.unattributed), wide(counts.filtered));
    if (is_sampled_event(event)) out += unnamed_json(counts);
    out += '}';
    first = false;
  }
  out += "},\"cpu\":{";
  first = true;
  for (const auto& [event, samples] : cpu) {
    out += format("%s%s:%llu", first ? "" : ",", json_string(event).c_str(), wide(samples));
    first = false;
  }
  const auto boolean = [](bool value) { return value ? "true" : "false"; };
  out += format(
      "},\"cpu_drawn\":%s,\"cpu_filtered\":%llu,\"lost\":%llu,\"lost_unknown\":%s,\"launches\":%"
      "llu,"
      "\"lost_launches\":%llu,\"lost_launches_unknown\":%s,",
      boolean(cpu_drawn), wide(cpu_filtered), wide(lost), boolean(lost_unknown), wide(launches),
      wide(lost_launches), boolean(lost_launches_unknown));
  if (busy_measured)
    out += format("\"busy_seconds\":%.9f,", seconds(busy));
  else
    out += "\"busy_seconds\":null,";
  if (device.count(std::string(kDeviceEvents[kMemory])) != 0)
    out += format(
        "\"allocations\":%llu,\"frees\":%llu,\"lost_memory\":%llu,\"lost_memory_unknown\":%s,",
        wide(allocations), wide(frees), wide(lost_memory), boolean(lost_memory_unknown));
  out += format("\"recorded_seconds\":%.9f,\"devices\":[", seconds(recorded));
  first = true;
  for (const auto& [index, use] : devices) {
    out += format(
        "%s{\"device\":%llu,\"busy_seconds\":%s,\"recorded_seconds\":%.9f,\"processes\":%zu}",
        first ? "" : ",", wide(index),
        use.measured ? format("%.9f", seconds(use.busy)).c_str() : "null", seconds(use.recorded),
        use.processes);
    first = false;
  }
  return out + "]}\n";
}

}  // namespace aiflame::collapse
