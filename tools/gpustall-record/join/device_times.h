// SPDX-License-Identifier: MIT
// What each device did at each moment, slice by slice: how much of a launch's run other work
// covered, and why the device was idle between runs. device_times.cc explains how. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "libcommon/timeline/work_class.h"
#include "tools/gpustall-record/budget/budgets.h"
#include "tools/gpustall-record/join/host_calls.h"
#include "tools/gpustall-record/join/slice.h"

namespace aiflame::record {

// A run of a launch, and the call that launched it.
struct DeviceRun {
  uint64_t begin = 0, end = 0;
  uint64_t called = 0, returned = 0;  // not later than `begin` if it is not known when it returned
  uint32_t pid = 0, tid = 0;
  uint32_t number = 0;  // of the distinct launch
  WorkClass work_class = WorkClass::computation;
};

class DeviceTimes {
 public:
  // `origin` is the start of the recording.
  DeviceTimes(uint64_t origin, Budgets& budgets);
  ~DeviceTimes();
  DeviceTimes(const DeviceTimes&) = delete;
  DeviceTimes& operator=(const DeviceTimes&) = delete;

  // What an added run takes of the budget of its process, as Kept::runs, until advance() has come
  // to its end.
  static constexpr uint64_t kRunBytes = 64;

  void add_run(uint32_t device, const DeviceRun& run);
  // A call that kept its thread, see HostCalls.
  void add_call(uint32_t pid, uint32_t tid, const HostCalls::Call& call) {
    calls_.add(pid, tid, call);
  }
  // Goes on to `to`: the runs that begin before it have been added. Puts what is known now into
  // `out`.
  void advance(uint64_t to, Slice& out);
  // The recording ends at `end`.
  void finish(uint64_t end, Slice& out);
  // Whether a device has had a run.
  bool has_runs() const { return !devices_.empty(); }

 private:
  class Device;

  const uint64_t origin_;
  Budgets& budgets_;
  HostCalls calls_;
  std::map<uint32_t, std::unique_ptr<Device>> devices_;  // by number
};

}  // namespace aiflame::record
