// SPDX-License-Identifier: MIT
// Writes slices as gpustall(5), and before their samples the launches that those are of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/join/recording.h"
#include "tools/gpustall-record/join/slice.h"
#include "tools/gpustall-record/write/objects.h"

namespace aiflame::record {

class SliceWriter {
 public:
  // `event` is what samples are called.
  SliceWriter(GpustallWriter& writer, std::string event, Recording& recording);

  // Samples of `device` tell so many low bits of an address, and not whose: see gpustall_device.
  void set_address_bits(uint32_t device, unsigned bits) { address_bits_[device] = bits; }
  void write(const Slice& slice);

 private:
  void write_event(const SliceEvent& event);
  void write_launch(uint32_t number);
  void write_launch_at(DistinctLaunch& launch, uint64_t address, const std::string& object);
  void write_group(const SampleGroup& group, uint64_t slice_end);
  void find_process(TimedSample& sample);
  std::vector<GpustallFrame> frames_of(const TimedSample& sample) const;

  GpustallWriter& writer_;
  std::string event_;
  Recording& recording_;
  std::map<uint32_t, unsigned> address_bits_;  // by device
  std::map<uint32_t, Objects> objects_;        // by device, as the output has told so far
};

}  // namespace aiflame::record
