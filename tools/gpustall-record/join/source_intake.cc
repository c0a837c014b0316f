// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/source_intake.h"

#include <algorithm>

namespace aiflame::record {

void SourceIntake::take(const gpustall_event& event) {
  switch (event.type) {
    case GPUSTALL_EVENT_PROCESS:
      tables_.comms.set(event.pid, event.time, event.u.text);
      break;
    case GPUSTALL_EVENT_LOAD:
      ++tables_.totals.source_objects;
      code_.load(event);
      break;
    case GPUSTALL_EVENT_UNLOAD:
      code_.unload(event);
      break;
    case GPUSTALL_EVENT_SAMPLE:
      take_sample(event);
      break;
    case GPUSTALL_EVENT_LOST:
      samples_.lose(event.time, event.pid, event.device, event.u.number);
      break;
    case GPUSTALL_EVENT_EXIT:
      joiner_.end_process(event.pid, event.time);
      break;
    default:
      break;
  }
}

void SourceIntake::take_sample(const gpustall_event& event) {
  const gpustall_sample& from = event.u.sample;
  TimedSample sample;
  sample.time = event.time;
  sample.address = from.address;
  sample.count = from.count;
  sample.exposed = std::min(from.exposed, from.count);
  sample.pid = event.pid;
  sample.device = event.device;
  sample.reason = from.reason == nullptr ? 0 : tables_.reasons.intern(from.reason);
  samples_.find_code(sample);
  samples_.add(sample, event.time);
}

}  // namespace aiflame::record
