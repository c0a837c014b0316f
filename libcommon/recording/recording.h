// SPDX-License-Identifier: MIT
// The state of one gpustall(5) recording: what earlier records say about later ones. A sample alone
// does not show which launch it belongs to, which code object is loaded at its address, or when it
// was taken; the records before it do.
//
//   GpustallReader reader(path);
//   GpustallRecord record;
//   Recording recording;
//   while (reader.next(record)) {
//     recording.take(reader, record);
//     if (is_device_sample(record))
//       count(recording.launch(), sampled_code(reader, record), *record.period);
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "libcommon/attribution/device_objects.h"
#include "libcommon/gpustall/gpustall_reader.h"

namespace aiflame {

inline bool is_launch_sample(const GpustallRecord& record) {
  return record.recorded && record.is_sample && record.event == kLaunchEvent;
}
// Defines a call that launches nothing.
inline bool is_call_sample(const GpustallRecord& record) {
  return record.recorded && record.is_sample && record.event == kCallEvent;
}
// Defines a call that allocates memory.
inline bool is_allocation_sample(const GpustallRecord& record) {
  return record.recorded && record.is_sample && record.event == kAllocationEvent;
}
inline bool is_device_sample(const GpustallRecord& record) {
  return record.recorded && record.is_sample &&
         (record.event == "gpu-stall" || record.event == "gpu-clock");
}
inline bool is_exposed_sample(const GpustallRecord& record) {
  return record.recorded && record.is_sample && record.event == kExposedEvent;
}

class Recording {
 public:
  // The largest launch number, so that a caller may give larger numbers to other launches.
  static constexpr uint64_t kMaxLaunch = INT64_MAX;

  // Takes the next record of the recording; `# gpustall 1` begins a new one. Throws
  // Error("path:line: …") where the record contradicts the ones before it: a launch that was not
  // defined.
  void take(const GpustallReader& reader, const GpustallRecord& record);
  // After an end that counts other samples or launches than were read: "path:line: the recording
  // says it has 67 samples, but 68 are here". Otherwise empty. What is here can be drawn all the
  // same.
  const std::string& contradiction() const { return contradiction_; }
  // Forgets everything: no recording is open.
  void forget();

  // The launch that the samples at hand belong to; 0 where it is not known.
  uint64_t launch() const { return launch_; }
  // The kernel: the first frame of the `gpu-launch` sample taken last.
  const ScriptFrame& kernel() const { return kernel_; }
  // When the records at hand were gathered: the beginning of their slice, in nanoseconds.
  std::optional<uint64_t> slice_start() const { return slice_start_; }
  uint64_t slice_end() const { return slice_end_; }
  // Where the code at a device address lies in its object's file. The address is of the record's
  // process and device. Valid until the next take().
  std::optional<DeviceObjects::Place> place(const GpustallRecord& record, uint64_t address) const;
  // The time that the slices cover, in nanoseconds. It is that of each device.
  uint64_t duration() const { return slice_time_; }

 private:
  void take_slice(const GpustallRecord& slice);
  void check_number(const GpustallReader& reader, const GpustallRecord& sample,
                    const std::unordered_set<uint64_t>& others) const;
  void check_known(const GpustallReader& reader, const GpustallRecord& record) const;
  void take_launch(const GpustallReader& reader, const GpustallRecord& sample);
  void check_launch(const GpustallReader& reader, const GpustallRecord& record,
                    uint64_t launch) const;
  void check_end(const GpustallReader& reader, const GpustallRecord& end);

  DeviceObjects objects_;
  std::unordered_set<uint64_t> launches_, calls_;  // calls launch nothing
  uint64_t launch_ = 0;
  ScriptFrame kernel_;
  uint64_t sample_count_ = 0, launch_count_ = 0;
  std::string contradiction_;
  std::optional<uint64_t> slice_start_;
  uint64_t slice_end_ = 0, slice_time_ = 0;  // of the slices so far
};

}  // namespace aiflame
