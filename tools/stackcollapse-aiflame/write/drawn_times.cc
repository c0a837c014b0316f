// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/drawn_times.h"

#include <algorithm>

#include "libcommon/base/sample_sum.h"
#include "tools/stackcollapse-aiflame/fold/device_events.h"

namespace aiflame::collapse {
namespace {

// The hidden part of a line of gpu-time.
uint64_t hidden_of(const DeviceCounts& counts, DeviceCounts::Line line) {
  line.event = kHidden;
  return counts.count_of(line);
}

}  // namespace

DrawnTimes draw_times(const DeviceCounts& counts, const TimelineSettings& settings,
                      const std::function<WorkClass(uint32_t code)>& class_of,
                      const std::function<bool(uint32_t sampler)>& tells_idle) {
  DrawnTimes out;
  out.parts.resize(counts.size());
  uint64_t hidden_in_all = 0, hidden_of_work = 0;
  for (uint32_t number = 0; number < counts.size(); ++number) {
    const DeviceCounts::Line& line = counts.line(number);
    const uint64_t time = counts.count(number);
    DrawnTimes::Parts& parts = out.parts[number];
    if (line.event == kHidden) add_samples(hidden_in_all, time);
    if ((line.event == kIdle && settings.idle) || (line.event == kOutside && settings.outside)) {
      parts.is_gap = true;
      parts.is_idle = line.event == kOutside || tells_idle(line.sampler);
      parts.shown = time;
    } else if (line.event == kTime) {
      const uint64_t hidden = std::min(hidden_of(counts, line), time);
      add_samples(hidden_of_work, hidden);
      const WorkClass work = class_of(line.code);
      parts.is_marked =
          settings.exposed && (work == WorkClass::communication || work == WorkClass::copy);
      parts.shown = settings.idle || parts.is_marked ? time - hidden : time;
      if (parts.is_marked && !settings.idle) parts.hidden = hidden;
      // the time of a function of the host is idle time, or beside work
      if (settings.idle && work != WorkClass::host) add_samples(out.ran_beside, hidden);
    }
    add_samples(out.sum, parts.shown);
    add_samples(out.sum, parts.hidden);
  }
  out.without_work = hidden_in_all - std::min(hidden_in_all, hidden_of_work);
  return out;
}

}  // namespace aiflame::collapse
