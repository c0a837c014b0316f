// SPDX-License-Identifier: MIT
// What was allocated at a moment.
//
// The entries of a device tell what was allocated and freed while PyTorch recorded. What was
// allocated before that they do not tell, but two things do:
//
//   - An entry frees a block that no entry has allocated: the block was there from the start.
//   - A block that is in use at the end was allocated by no entry: it was there from the start.
//
// So the state at the start is known to the byte, and from there each later state. A recording that
// kept only its last entries is the same: it starts at the first of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tools/stackcollapse-torch-memory/settings.h"
#include "tools/stackcollapse-torch-memory/snapshot.h"

namespace aiflame::torch_memory {

// A block that is in use.
struct LiveBlock {
  enum class Origin : uint8_t {
    entry,        // its allocation was recorded
    freed_later,  // it was not; an entry frees the block
    never_freed,  // it was not; the block is in use at the end
  };
  Origin origin = Origin::entry;
  uint64_t size = 0;  // as it was asked for
  uint64_t time = 0;  // of its allocation, in microseconds; 0: unknown
  uint32_t stack = Snapshot::kNoStack;
  uint32_t group = kUnknown;
  uint32_t block = kUnknown;  // of Snapshot::blocks, where it is in use at the end
  bool is_freed = false;      // by a later entry
  uint64_t freed = 0;         // when, in microseconds; 0: unknown
};

// Sums of a device.
struct Replay {
  uint64_t entries = 0;                // that have taken effect at the moment
  uint64_t time = 0;                   // of the last of these, in microseconds; 0: there is none
  std::optional<uint64_t> reserved;    // by the allocator, where the snapshot has segments
  std::optional<Entry> out_of_memory;  // the last one
  uint64_t freed_unseen = 0;  // blocks whose address was allocated again without having been freed
  uint64_t pending = 0;       // blocks without an entry that were being freed at the end
  uint64_t pending_bytes = 0;
};

// The devices of which the snapshot has anything.
std::vector<uint64_t> devices_of(const Snapshot& snapshot);
// The time of the first entry of all devices; 0 if none has one.
uint64_t first_time(const Snapshot& snapshot);
// Calls `use` for each entry of a device, with its number.
void for_each_entry(const Snapshot& snapshot, uint64_t device,
                    const std::function<void(uint64_t, const Entry&)>& use);
// The address of each block, in its order.
uint64_t address_of(const Block& block, uint64_t running);

bool has_out_of_memory(const Snapshot& snapshot, uint64_t device);

// Calls `use` for each block that is in use at the moment. Nothing, if that is when memory ran out
// and it did not on this device. Throws Error if the moment is after the last entry.
std::optional<Replay> replay(const Snapshot& snapshot, uint64_t device, const MemoryMoment& moment,
                             const std::function<void(const LiveBlock&)>& use);

}  // namespace aiflame::torch_memory
