// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/source_intake.h"

#include <algorithm>

namespace aiflame::record {

void SourceIntake::take(const gpustall_event& event) {
  switch (event.type) {
    case GPUSTALL_EVENT_PROCESS:
      tables_.comms.set(event.pid, event.u.text);
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
      joiner_.add_lost_samples(event.time, event.pid, event.device, event.u.number);
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
  sample.object = code_.find(event.device, event.pid, from.address);
  if (sample.object != nullptr) {
    const CodeObject::Function* function = sample.object->function_at(from.address);
    // outside of every function, as in a PLT stub, it still belongs to the object's kernel
    if (function != nullptr)
      sample.kernel = function->kernel;
    else if (!sample.object->functions.empty())
      sample.kernel = sample.object->functions.front().kernel;
  }
  joiner_.add_sample(sample);
  tables_.latest_ns = std::max(tables_.latest_ns, event.time);
  tables_.totals.samples += from.count;
}

}  // namespace aiflame::record
