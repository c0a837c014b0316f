// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/perf_launches.h"

#include <algorithm>

#include "libcommon/base/program.h"

namespace aiflame::collapse {

void PerfLaunches::take(const PerfLaunch& launch) {
  const SampleOrigin& origin = launch.origin;
  samples_.take(launch.event, origin, launch.stack, !cpu_.events().known());
  const int64_t pid = origin.pid.value_or(origin.tid);
  const uint32_t kernel =
      is_kernel_name(launch.kernel) ? texts_.number(launch.kernel) : Attribution::kUnknownKernel;
  const uint32_t thread = filter_.of_threads() ? origins_.thread(origin.comm, pid, origin.tid) : 0;
  const bool timed = launch.monotonic && origin.time;
  if (!timed && timeless_.empty()) timeless_ = launch.input;
  timeline_.add(pid, kernel, launch.stack, thread, timed ? origin.time : std::nullopt);
}

void PerfLaunches::give(Attribution& attribution, uint32_t number, uint64_t count,
                        Witness witness) const {
  const LaunchTimeline::Launch& launch = timeline_.launches()[number];
  const uint64_t id = kFirst + number;
  if (!attribution.defined(id)) attribution.define(id, launch.pid, launch.kernel, 0, witness);
  if (witness == Witness::timeless)
    attribution.launched_sometime(id, count);
  else
    attribution.launched(id, count, std::nullopt);
}

void PerfLaunches::begin_slice(Attribution& attribution, uint64_t from, uint64_t to) {
  if (timeline_.launches().empty()) return;
  if (!sliced_) {
    for (const uint32_t number : timeline_.untimed())
      give(attribution, number, timeline_.launches()[number].count, Witness::timeless);
    if (!timeline_.untimed().empty() && !warned_) {
      warned_ = true;
      warn(
          "%s: launch events without a time of CLOCK_MONOTONIC are joined by process alone; "
          "'perf record -k CLOCK_MONOTONIC' gives them one",
          timeless_.c_str());
    }
  }
  sliced_ = true;
  const auto give_timed = [&](uint32_t number, uint64_t count) {
    give(attribution, number, count, Witness::other);
  };
  if (from > given_) {
    timeline_.each(given_, from, give_timed);
    attribution.end_slice();
  }
  timeline_.each(from, to, give_timed);
  given_ = std::max(given_, to);
}

void PerfLaunches::end_recording() {
  sliced_ = false;
  given_ = 0;
}

}  // namespace aiflame::collapse
