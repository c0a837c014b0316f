// SPDX-License-Identifier: MIT
// What was allocated at a moment of a recording (pure). live_memory.cc explains how the peak is
// found while the recording is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libcommon/text/address_map.h"
#include "libcommon/timeline/memory_moment.h"

namespace aiflame::collapse {

class LiveMemory {
 public:
  explicit LiveMemory(const MemoryMoment& at) : at_(at) {}

  struct Sum {
    uint64_t bytes = 0, blocks = 0;
  };
  // What a device held, besides the sums by group.
  struct Held {
    Sum live;     // all of it
    Sum unknown;  // of it, what was allocated before the recording; only if it was freed in it
    uint64_t unknown_sizes = 0;  // blocks of it whose size is not known
  };

  // Times are in nanoseconds, in the order of the recording; the first call begins it.
  void begin(uint64_t time);
  // `group`: what is added up, a small number of the caller's, which is of one device.
  void allocate(int64_t pid, uint64_t address, uint64_t bytes, uint32_t group, uint64_t device,
                uint64_t time);
  // `bytes`: as the recording has it; nothing where it does not say.
  void free(int64_t pid, uint64_t address, std::optional<uint64_t> bytes, uint64_t device,
            uint64_t time);
  // The program of the process has ended. What it held is gone once something else happens: so at
  // the end, what the last program left is there.
  void release(int64_t pid, uint64_t time);
  // The recording has ended. The results are of the moment.
  void finish();

  // By number.
  std::map<uint64_t, Held> devices() const;
  const Sum& at_moment(uint32_t group) const { return groups_[group].held; }
  const Sum& allocated(uint32_t group) const { return groups_[group].allocated; }
  uint32_t groups() const { return static_cast<uint32_t>(groups_.size()); }
  uint64_t allocations() const { return allocations_; }
  uint64_t frees() const { return frees_; }
  // Blocks whose address was allocated again without having been freed.
  uint64_t freed_unseen() const { return freed_unseen_; }

 private:
  // The sums of hostile sizes do not fit 64 bits.
  __extension__ typedef __int128 Wide;

  struct Block {
    uint64_t bytes = 0;
    uint32_t group = 0;
  };
  struct Group {
    uint64_t device = 0;
    Sum now, held, allocated;
    bool has_changed = false;  // since `held` was copied from `now`
  };
  struct Device {
    Wide level = 0, peak = 0;  // bytes above those at the start
    std::vector<uint32_t> changed;
    Sum freed_unknown, unknown_at_moment;  // unknown_at_moment: freed up to then
    uint64_t unknown_sizes = 0, sizes_at_moment = 0;
  };

  uint64_t moment() const;
  void come_to(uint64_t time);
  void release_ended(uint64_t until);
  void change(uint32_t group, uint64_t bytes, bool is_free);
  void look(Device& device);
  void look_everywhere();

  const MemoryMoment at_;
  std::optional<uint64_t> begin_;
  bool is_past_ = false;                                  // of a moment of time: it was looked at
  std::unordered_map<int64_t, ByAddress<Block>> blocks_;  // by process
  std::vector<std::pair<int64_t, uint64_t>> ended_;       // processes, and when
  std::vector<Group> groups_;
  std::map<uint64_t, Device> devices_;
  uint64_t allocations_ = 0, frees_ = 0, freed_unseen_ = 0;
};

}  // namespace aiflame::collapse
