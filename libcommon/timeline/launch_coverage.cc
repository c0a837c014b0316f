// SPDX-License-Identifier: MIT
#include "libcommon/timeline/launch_coverage.h"

#include <algorithm>
#include <map>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/text/text_match.h"

namespace aiflame {
namespace {

// Leaves out what was captured, and the marks of captures. A launch that has kernels ran.
void drop_captured(std::vector<LaunchRecord>& launches) {
  std::stable_sort(launches.begin(), launches.end(),
                   [](const LaunchRecord& a, const LaunchRecord& b) { return a.time < b.time; });
  std::map<uint64_t, uint64_t> capturing;  // by process: how many streams
  std::erase_if(launches, [&](const LaunchRecord& one) {
    uint64_t& streams = capturing[one.process];
    if (one.kind == LaunchCallKind::begin_capture) ++streams;
    if (one.kind == LaunchCallKind::end_capture) streams -= std::min<uint64_t>(streams, 1);
    const bool launches_something =
        one.kind == LaunchCallKind::kernel || one.kind == LaunchCallKind::replay;
    return !launches_something || (streams > 0 && one.kernels == 0);
  });
}

}  // namespace

std::optional<LaunchCallKind> launch_kind(std::string_view call) {
  if (!starts_with_any(call, {"cu", "hip"})) return std::nullopt;
  if (contains(call, "StreamBeginCapture")) return LaunchCallKind::begin_capture;
  if (contains(call, "StreamEndCapture")) return LaunchCallKind::end_capture;
  if (contains(call, "GraphLaunch")) return LaunchCallKind::replay;
  if (contains(call, "Launch") && !contains(call, "HostFunc")) return LaunchCallKind::kernel;
  return std::nullopt;
}

LaunchCoverage coverage_of(std::vector<LaunchRecord> launches) {
  drop_captured(launches);
  std::map<uint64_t, int64_t> last;                           // by process
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> fullest;  // by process and graph
  for (const LaunchRecord& one : launches) {
    if (one.kernels == 0) continue;
    last[one.process] = one.time;
    if (one.graph == 0) continue;
    uint64_t& most = fullest[{one.process, one.graph}];
    most = std::max(most, one.kernels);
  }
  LaunchCoverage out;
  uint64_t replays = 0, replayed = 0, empty_replays = 0;
  for (const LaunchRecord& one : launches) {
    const auto until = last.find(one.process);
    if (until == last.end() || one.time > until->second) continue;
    if (one.kind == LaunchCallKind::kernel) {
      ++out.launched;
      if (one.kernels > 0) ++out.kernels;
    } else if (one.kernels == 0) {
      ++empty_replays;
    } else {
      ++replays;
      replayed += one.graph == 0 ? one.kernels : fullest[{one.process, one.graph}];
      out.kernels += one.kernels;
    }
  }
  const uint64_t mean = replays == 0 ? 1 : std::max<uint64_t>(1, replayed / replays);
  out.launched += replayed + empty_replays * mean;
  return out;
}

std::string coverage_text(const LaunchCoverage& coverage) {
  const double share =
      100 * static_cast<double>(coverage.kernels) / static_cast<double>(coverage.launched);
  return format("%llu of %llu launched kernels are recorded (%.2f %%)",
                static_cast<unsigned long long>(coverage.kernels),
                static_cast<unsigned long long>(coverage.launched), share) +
         (coverage.tells_idle() ? "" : ": time without records is not called idle");
}

}  // namespace aiflame
