// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/device_timelines.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-rocprof/host_threads.h"

namespace aiflame::rocprof {
namespace {

// The calls are gone through once for each device.
constexpr size_t kMaxDevices = 1024;

}  // namespace

DeviceTimelines::DeviceTimelines(const ProcessTrace& process,
                                 const std::vector<const DeviceWork*>& works,
                                 const Launches& launches, const NameOf& name_of)
    : process_(process), launches_(launches), name_of_(name_of) {
  std::map<uint32_t, Device> all;
  for (const DeviceWork* one : works) {
    // a copy to the host is the work of the device that it comes from
    const bool to_host =
        one->is_copy &&
        process.texts.text(static_cast<uint32_t>(one->kernel)).ends_with("DEVICE_TO_HOST");
    const uint32_t number = to_host ? static_cast<uint32_t>(one->dispatch) : one->device;
    Device& device = all[number];
    device.number = number;
    device.works.push_back(one);
  }
  if (all.size() > kMaxDevices) throw Error(format("work of more than %zu devices", kMaxDevices));
  for (auto& [number, device] : all) {
    std::vector<DeviceInterval> intervals;
    for (const DeviceWork* one : device.works) {
      device.classes.push_back(one->is_copy ? WorkClass::copy : class_of_kernel(name_of(*one)));
      intervals.push_back({time_of(one->start), time_of(one->end), device.classes.back()});
    }
    device.timeline = make_timeline(intervals);
    devices_.push_back(std::move(device));
  }
  for (const ApiCall& call : launches.calls())
    if (call.thread != 0 && (main_ == 0 || call.thread < main_)) main_ = call.thread;
  coverage_ = count_launches(works);
}

LaunchCoverage DeviceTimelines::count_launches(const std::vector<const DeviceWork*>& works) const {
  std::map<const ApiCall*, uint64_t> recorded;
  for (const DeviceWork* one : works)
    if (const ApiCall* call = launches_.find(one->correlation)) ++recorded[call];
  std::vector<LaunchRecord> out;
  for (const ApiCall& call : launches_.calls()) {
    const std::optional<LaunchCallKind> kind = launch_kind(process_.texts.text(call.name));
    if (!kind) continue;
    const auto found = recorded.find(&call);
    out.push_back({.time = time_of(call.time),
                   .kind = *kind,
                   .kernels = found == recorded.end() ? 0 : found->second});
  }
  return coverage_of(std::move(out));
}

void DeviceTimelines::say_times(const std::string& lead) const {
  if (!coverage_.is_whole()) say("%s%s", lead.c_str(), coverage_text(coverage_).c_str());
  const std::string idle = coverage_.tells_idle() ? "idle" : "not recorded";
  for (const Device& one : devices_) {
    const std::string name = lead + printable(process_.texts.text(one.number));
    say("%s: %s", name.c_str(), timeline_text(one.timeline, idle).c_str());
    if (is_suspicious(one.timeline))
      warn("%s: %s", name.c_str(),
           suspicion_text(one.timeline, name_of_(*one.works[one.timeline.longest])).c_str());
  }
}

HostLaunch DeviceTimelines::user() const {
  HostLaunch out;
  out.thread = out.main = main_;
  return out;
}

HostLaunch DeviceTimelines::launch_of(const Device& device, uint32_t interval) const {
  const ApiCall* call = launches_.find(device.works[interval]->correlation);
  if (call == nullptr) return user();
  return {call->thread, main_, time_of(call->end), call->stack, time_of(call->time)};
}

}  // namespace aiflame::rocprof
