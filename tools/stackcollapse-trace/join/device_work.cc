// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/device_work.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "libcommon/base/program.h"

namespace aiflame::trace {
namespace {

// The host is gone through once for each device.
constexpr size_t kMaxDevices = 1024;

// What each work does. The name of a kernel is looked at once.
std::vector<WorkClass> classes_of(const Trace& trace, const ImportedStacks& stacks) {
  std::vector<std::optional<WorkClass>> known;  // by frame
  std::vector<WorkClass> out;
  out.reserve(trace.work.size());
  for (const Work& work : trace.work) {
    if (!work.kernel || work.collective != kNoNumber) {
      out.push_back(work.copy     ? WorkClass::copy
                    : work.kernel ? WorkClass::communication
                                  : WorkClass::computation);
      continue;
    }
    if (work.frame >= known.size()) known.resize(work.frame + size_t{1});
    if (!known[work.frame]) known[work.frame] = class_of_kernel(stacks.text(work.frame));
    out.push_back(*known[work.frame]);
  }
  return out;
}

}  // namespace

DevicesWork::DevicesWork(const Trace& trace, const ImportedStacks& stacks)
    : owned_(trace.work.size()), classes_(classes_of(trace, stacks)) {
  std::map<uint32_t, std::vector<uint32_t>> works;  // by device
  for (uint32_t i = 0; i < trace.work.size(); ++i)
    works[trace.threads.process(trace.work[i].track)].push_back(i);
  if (works.size() > kMaxDevices)
    throw Error(format("%s: work of more than %zu devices", trace.path.c_str(), kMaxDevices));
  std::vector<DeviceInterval> intervals;
  for (auto& [device, numbers] : works) {
    intervals.clear();
    for (const uint32_t number : numbers)
      intervals.push_back({trace.work[number].start, trace.work[number].end(), classes_[number]});
    DeviceWork one{device, std::move(numbers), make_timeline(intervals)};
    for (size_t i = 0; i < one.works.size(); ++i) owned_[one.works[i]] = one.timeline.owned[i];
    devices_.push_back(std::move(one));
  }
}

}  // namespace aiflame::trace
