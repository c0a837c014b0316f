// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/device_timelines.h"

#include <algorithm>
#include <map>
#include <utility>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-nsys/processes.h"

namespace aiflame::nsys {
namespace {

// The calls are gone through once for each device.
constexpr size_t kMaxDevices = 1024;

std::string device_text(const DeviceTimelines::Device& device) {
  std::string out = "device " + (device.number ? std::to_string(*device.number) : "?");
  if (device.process) out += format(" of process %llu", pid_of(*device.process));
  return out;
}

}  // namespace

DeviceTimelines::DeviceTimelines(const std::vector<DeviceRow>& rows, const Launches& launches,
                                 const ImportedStacks& stacks)
    : rows_(rows), launches_(launches), stacks_(stacks) {
  std::map<std::pair<std::optional<int64_t>, std::optional<int64_t>>, std::vector<uint32_t>> all;
  for (uint32_t i = 0; i < rows.size(); ++i) all[{rows[i].process, rows[i].device}].push_back(i);
  if (all.size() > kMaxDevices) throw Error(format("work of more than %zu devices", kMaxDevices));
  std::vector<DeviceInterval> intervals;
  for (auto& [which, numbers] : all) {
    intervals.clear();
    for (const uint32_t number : numbers)
      intervals.push_back({rows[number].start, rows[number].end, rows[number].work_class});
    devices_.push_back({which.first, which.second, std::move(numbers), make_timeline(intervals)});
  }
  coverage_ = count_launches();
}

LaunchCoverage DeviceTimelines::count_launches() const {
  const std::vector<HostCall>& calls = launches_.calls();
  std::map<const HostCall*, LaunchRecord> recorded;
  for (const DeviceRow& row : rows_) {
    const HostCall* call = launches_.find(row.process, row.correlation);
    if (call == nullptr) continue;
    LaunchRecord& one = recorded[call];
    ++one.kernels;
    one.graph = std::max(one.graph, static_cast<uint64_t>(row.graph.value_or(0)));
  }
  std::vector<LaunchRecord> out;
  for (const HostCall& call : calls) {
    const std::optional<LaunchCallKind> kind = launch_kind(stacks_.text(call.name));
    if (!kind) continue;
    const auto found = recorded.find(&call);
    LaunchRecord& one = out.emplace_back();
    if (found != recorded.end()) one = found->second;
    one.process = static_cast<uint64_t>(process_of(call.thread));
    one.time = static_cast<int64_t>(call.time);
    one.kind = *kind;
  }
  return coverage_of(std::move(out));
}

void DeviceTimelines::say_times(const std::string& path) const {
  if (!coverage_.is_whole()) say("%s: %s", path.c_str(), coverage_text(coverage_).c_str());
  const std::string idle = coverage_.tells_idle() ? "idle" : "not recorded";
  for (const Device& one : devices_) {
    say("%s: %s: %s", path.c_str(), device_text(one).c_str(),
        timeline_text(one.timeline, idle).c_str());
    if (is_suspicious(one.timeline))
      warn("%s: %s: %s", path.c_str(), device_text(one).c_str(),
           suspicion_text(one.timeline, stacks_.text(rows_[one.rows[one.timeline.longest]].name))
               .c_str());
  }
}

HostLaunch DeviceTimelines::user_of(const Device& device) const {
  HostLaunch out;
  if (device.process) out.thread = out.main = main_thread_of(*device.process);
  return out;
}

HostLaunch DeviceTimelines::launch_of(const Device& device, uint32_t interval) const {
  const DeviceRow& row = rows_[device.rows[interval]];
  const HostCall* call = launches_.find(row.process, row.correlation);
  if (call == nullptr) return user_of(device);
  return {call->thread, main_thread_of(process_of(call->thread)), static_cast<int64_t>(call->end),
          call->stack, static_cast<int64_t>(call->time)};
}

}  // namespace aiflame::nsys
