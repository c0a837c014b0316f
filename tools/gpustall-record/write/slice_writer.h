// SPDX-License-Identifier: MIT
// Writes slices as gpustall(5). Each launch is written before the first sample that belongs to it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/code/code_map.h"
#include "tools/gpustall-record/join/capture_tables.h"
#include "tools/gpustall-record/join/launch_table.h"
#include "tools/gpustall-record/join/slice.h"

namespace aiflame::record {

class SliceWriter {
 public:
  // `event` is the event name of samples: "gpu-stall", "gpu-clock".
  SliceWriter(GpustallWriter& writer, std::string event, CaptureTables& tables);

  // The samples of `device` have only the low `bits` of an address and no process, see
  // gpustall_device.
  void set_address_bits(uint32_t device, unsigned bits) { address_bits_[device] = bits; }
  // Leaves out the places of files, see redaction.h.
  void redact() { is_redacted_ = true; }
  void write(const Slice& slice);

 private:
  void write_event(const SliceEvent& event);
  void write_launch(uint32_t number);
  void write_size(LaunchKind kind);
  void write_definitions(const Slice& slice);
  bool is_known(uint32_t number) const;
  void write_times(const Slice& slice);
  void write_memory(const Slice& slice);
  void write_launch_at(DistinctLaunch& launch, uint64_t address, const std::string& object);
  void write_group(const SampleGroup& group, uint64_t slice_end);
  void resolve_process(TimedSample& sample);
  std::vector<GpustallFrame> frames_of(const TimedSample& sample) const;
  std::string path(const std::string& path) const;
  void add_frame(std::vector<GpustallFrame>& frames, GpustallFrame frame) const;

  GpustallWriter& writer_;
  std::string event_;
  CaptureTables& tables_;
  SampleLedger& ledger_;
  bool is_redacted_ = false;
  std::map<uint32_t, unsigned> address_bits_;  // by device
  // What is loaded at the point that the output has reached, by device. CodeTracker has another
  // CodeMap, of what is loaded now, and both are needed. Slices are written late: with a kernel
  // that does not end, minutes late. By then the tracker's map has lost the objects that were
  // unloaded meanwhile, and has objects that the output has not shown yet. A launch must be written
  // with the objects of its own slice. So must a sample that has no process: its read is taken
  // before the agents report the objects of that time, so it cannot be looked up when it arrives.
  std::map<uint32_t, CodeMap> written_code_;
};

}  // namespace aiflame::record
