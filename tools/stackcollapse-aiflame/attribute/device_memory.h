// SPDX-License-Identifier: MIT
// The device memory of recordings: allocations and frees become the stacks that held it at a
// moment, or all that was allocated.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/folded/quantity.h"
#include "libcommon/folded/time_step.h"
#include "libcommon/gpustall/gpustall_record.h"
#include "libcommon/text/numbered_table.h"
#include "tools/stackcollapse-aiflame/attribute/sample_origins.h"
#include "tools/stackcollapse-aiflame/fold/device_counts.h"
#include "tools/stackcollapse-aiflame/fold/frame_tables.h"
#include "tools/stackcollapse-aiflame/fold/live_memory.h"
#include "tools/stackcollapse-aiflame/fold/memory_settings.h"

namespace aiflame::collapse {

class DeviceMemory {
 public:
  // `by_time` gives the intervals of allocations.
  DeviceMemory(const MemorySettings& settings, const TimeStep& by_time, FrameTables& tables,
               SampleOrigins& origins, DeviceCounts& counts);

  // The slices of a recording begin.
  void begin(uint64_t time);
  // `# memory N : BYTES bytes`, of a header
  void take_header(const GpustallRecord& header);
  // The call that allocates.
  struct Call {
    uint32_t stack = 0;  // CPU frames and root
    int64_t pid = 0;
    uint64_t device = 0;
    bool passes = true;  // the filters
  };
  void allocate(const Call& call, const GpustallRecord& allocated);
  void free(const GpustallRecord& freed);
  void release(const GpustallRecord& released);
  // The recording of the input `name` has ended: counts what was there at the moment.
  void end_recording(const std::string& name);

  uint64_t allocations() const { return allocations_; }
  uint64_t frees() const { return frees_; }
  uint64_t blocks() const { return blocks_; }  // that are counted
  // The unit of the counts, and the notes for the folded text.
  Quantity quantity() const;
  std::vector<std::string> notes() const;
  void report() const;

 private:
  // What is added up.
  struct Key {
    uint32_t stack = 0, device = 0;  // device: in origins_
    uint32_t interval = 0;           // in texts
    uint32_t passes = 0;             // 1: the filters let it through
    bool operator==(const Key&) const = default;
  };
  struct Group {
    uint64_t device = 0;  // index
    uint64_t time = 0;    // of an allocation of its interval
  };
  struct Note {
    std::string input;
    uint64_t device = 0;
    bool names_device = false;
    std::string text;
  };
  void count(uint32_t group, uint32_t device_root);
  void count_unknown(uint64_t device, const LiveMemory::Held& held, uint32_t device_root);
  void add_note(const std::string& input, uint64_t device, bool names_device,
                const LiveMemory::Held& held);
  uint64_t measure(const LiveMemory::Sum& sum) const {
    return settings_.count ? sum.blocks : sum.bytes;
  }

  const MemorySettings& settings_;
  const TimeStep& by_time_;
  FrameTables& tables_;
  SampleOrigins& origins_;
  DeviceCounts& counts_;
  // of the recording
  std::unique_ptr<LiveMemory> live_;  // null: it has none
  std::optional<uint64_t> begin_;
  NumberedTable<Key> keys_;
  std::vector<Group> groups_;
  std::map<uint64_t, uint64_t> sizes_;  // of devices, in bytes
  // of all
  std::vector<Note> notes_;
  uint64_t allocations_ = 0, frees_ = 0, blocks_ = 0, freed_unseen_ = 0, unknown_sizes_ = 0;
};

}  // namespace aiflame::collapse
