// SPDX-License-Identifier: MIT
// The part of Collapse that takes launches which perf has recorded.
#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "tools/stackcollapse-aiflame/attribute/device_events.h"
#include "tools/stackcollapse-aiflame/collapse.h"
#include "tools/stackcollapse-aiflame/fold/checked_sum.h"

namespace aiflame::collapse {

// Where the event is chosen by name it is drawn as any other.
bool Collapse::is_launch(std::string_view event) {
  return !event.empty() && launch_events_.is_launch(event) &&
         !(cpu_event_known_ && event == cpu_event_);
}

void Collapse::launch(const PerfDataLaunch& launch) {
  const SampleOrigin& origin = launch.origin;
  if (launch_event_.empty()) {
    launch_event_ = launch.event;
    launch_first_ = !cpu_event_known_;
  }
  ++launch_samples_[std::string(launch.event)];
  if (launch.event == launch_event_) {
    if (filter_.passes(origin)) {
      add_checked(launch_total_, 1);
      launch_stacks_.add(timed_stack({interval(origin.time), launch.stack}), 1);
    } else {
      ++launches_filtered_;
      if (filter_.lacks(origin)) ++launches_untold_;
    }
  }
  const uint32_t kernel =
      is_kernel_name(launch.kernel) ? texts_.number(launch.kernel) : Attribution::kUnknownKernel;
  uint32_t thread = 0;
  if (filter_.of_threads()) {
    GpustallRecord whose;
    whose.comm = origin.comm;
    whose.has_pid = origin.pid.has_value();
    whose.pid = origin.pid.value_or(origin.tid);
    whose.tid = origin.tid;
    thread = origins_.thread(whose);
  }
  const bool timed = launch.monotonic && origin.time;
  if (!timed && timeless_.empty()) timeless_ = launch.input;
  launch_events_.add(origin.pid.value_or(origin.tid), kernel, launch.stack, thread,
                     timed ? origin.time : std::nullopt);
}

void Collapse::take_launch_sample(const GpustallReader& reader, const GpustallRecord& record) {
  PerfDataLaunch out;
  out.input = reader.name();
  out.event = record.event;
  const auto pid = record.has_pid ? std::optional<int64_t>(record.pid) : std::nullopt;
  out.origin = {record.comm, pid, record.tid, record.time};
  out.monotonic = monotonic_text_;
  out.kernel = kernel_argument(record.arguments);
  out.stack = stack_of(record, 0);
  if (in_threads_)
    later_.push_back({record.line, std::string(out.event), std::string(record.comm),
                      std::string(out.kernel), pid, record.tid, record.time, out.stack});
  else
    launch(out);
}

void Collapse::add_launch(uint32_t number, uint64_t count, Witness witness) {
  const LaunchEvents::Launch& launch = launch_events_.launches()[number];
  const uint64_t id = kPerfLaunch + number;
  if (!attribution_.defined(id)) attribution_.define(id, launch.pid, launch.kernel, 0, witness);
  if (witness == Witness::timeless)
    attribution_.launched_sometime(id, count);
  else
    attribution_.launched(id, count, std::nullopt);
}

// Those of a slice that begins; those between it and the one before have been launched earlier.
void Collapse::add_launches(uint64_t from, uint64_t to) {
  if (launch_events_.launches().empty()) return;
  const auto add = [this](uint32_t launch, uint64_t count) {
    add_launch(launch, count, Witness::other);
  };
  if (!sliced_) {
    for (const uint32_t number : launch_events_.untimed())
      add_launch(number, launch_events_.launches()[number].count, Witness::timeless);
    if (!launch_events_.untimed().empty() && !timeless_told_) {
      timeless_told_ = true;
      warn(
          "%s: launch events without a time of CLOCK_MONOTONIC are joined by process alone; "
          "'perf record -k CLOCK_MONOTONIC' gives them one",
          timeless_.c_str());
    }
  }
  sliced_ = true;
  if (from > launches_until_) {
    launch_events_.each(launches_until_, from, add);
    attribution_.end_slice();
  }
  launch_events_.each(from, to, add);
  launches_until_ = std::max(launches_until_, to);
}

uint32_t Collapse::launch_stack(uint64_t launch) const {
  return launch >= kPerfLaunch ? launch_events_.launches()[launch - kPerfLaunch].stack
                               : launches_.at(launch).stack;
}

// Is it drawn, by its thread: the launch's own where one is known, and the root, else the sample's?
bool Collapse::passes_thread(uint64_t launch, uint32_t own) const {
  if (launch == 0) return origins_.passes(own);
  if (launch < kPerfLaunch) return origins_.passes(launches_.at(launch).thread);
  return !filter_.of_threads() ||
         origins_.passes(launch_events_.launches()[launch - kPerfLaunch].thread);
}

// Without a device they are samples of an event like any other.
void Collapse::draw_launches_as_samples() {
  for (const auto& [event, samples] : launch_samples_) statistics_.cpu[event] += samples;
  if (launch_event_.empty() || (cpu_event_known_ && !launch_first_)) return;
  cpu_event_ = launch_event_;
  cpu_stacks_ = launch_stacks_;
  cpu_total_ = launch_total_;
  statistics_.cpu_filtered = launches_filtered_;
  statistics_.untold = launches_untold_;
}

}  // namespace aiflame::collapse
