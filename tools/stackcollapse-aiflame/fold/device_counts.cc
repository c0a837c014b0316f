// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/device_counts.h"

#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"

namespace aiflame::collapse {
namespace {

// Launches that share samples multiply with the instructions that were sampled, so that a megabyte
// of text can make any number of stacks. These take 400 MB.
constexpr uint32_t kMaxLines = uint32_t{1} << 23;

}  // namespace

void DeviceCounts::read(uint32_t event, uint32_t sampler, uint64_t count) {
  seen_[event] = true;
  read_[event].add(sampler, count);
  add_samples(events_[event].samples, count);
}

void DeviceCounts::filter_out(uint32_t event, uint64_t count) {
  add_samples(events_[event].filtered, count);
}

void DeviceCounts::add(Line line, std::optional<uint64_t> time, uint64_t count, How how,
                       Unnamed unnamed) {
  EventCounts& counts = events_[line.event];
  switch (how) {
    case How::exact:
      add_samples(counts.exact, count);
      break;
    case How::apportioned:
      add_samples(counts.apportioned, count);
      break;
    case How::by_number:
      add_samples(counts.apportioned, count);
      add_samples(counts.by_number, count);
      break;
    case How::presumed:
      add_samples(counts.presumed, count);
      break;
    case How::unattributed:
      add_samples(counts.unattributed, count);
      break;
  }
  add_samples(counts.unnamed[static_cast<size_t>(unnamed)], count);
  if (by_time_.is_set()) line.interval = texts_.number(by_time_.name(time));
  drawn_[line.event].add(line.sampler, count);
  counts_.add(lines_.number(line), count);
  if (counts_.size() > kMaxLines) throw Error("device samples of more than 8388608 stacks");
}

std::map<std::string, EventCounts> DeviceCounts::events() const {
  std::map<std::string, EventCounts> out;
  for (size_t event = 0; event < kNamedEvents; ++event)
    if (seen_[event]) out[std::string(kDeviceEvents[event])] = events_[event];
  return out;
}

}  // namespace aiflame::collapse
