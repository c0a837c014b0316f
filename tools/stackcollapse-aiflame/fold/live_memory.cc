// SPDX-License-Identifier: MIT
// How the peak is found in one reading.
//
// Each device has a level: the bytes that are allocated now. Whenever the level is higher than it
// ever was, the sums by group are those of the peak so far, and have to be kept. To copy all of
// them each time would take as long as there are groups, at each allocation of a program that
// grows. So a group notes that it has changed since it was last copied. A new peak copies these
// groups alone. A record changes one group, so there are no more copies than records.
//
//   records     +A 4    +B 2    -A 4    +C 1    +D 9
//   level          4       6       2       3      12
//   copied         A       B                     A C D
//
// What was allocated before the recording began is not in it. But a free of an address that nothing
// has allocated says that a block was there from the start until now. At the start the level is 0
// whatever was there: such a free takes its bytes off the level, and how many they were at the
// moment is known at the end, as those that were freed after it. A block from before that is never
// freed cannot be seen.
#include "tools/stackcollapse-aiflame/fold/live_memory.h"

#include <algorithm>

#include "libcommon/base/sample_sum.h"

namespace aiflame::collapse {

using Kind = MemoryMoment::Kind;

void LiveMemory::begin(uint64_t time) {
  if (!begin_) begin_ = time;
}

void LiveMemory::allocate(int64_t pid, uint64_t address, uint64_t bytes, uint32_t group,
                          uint64_t device, uint64_t time) {
  come_to(time);
  ++allocations_;
  if (group >= groups_.size()) groups_.resize(group + 1);
  groups_[group].device = device;
  add_samples(groups_[group].allocated.bytes, bytes);
  ++groups_[group].allocated.blocks;
  const auto [at, is_new] = blocks_[pid].try_emplace(address);
  if (!is_new) {
    ++freed_unseen_;
    change(at->second.group, at->second.bytes, true);
  }
  at->second = {bytes, group};
  change(group, bytes, false);
  Device& of = devices_[device];
  if (at_.kind == Kind::peak && of.level > of.peak) {
    of.peak = of.level;
    look(of);
  }
}

void LiveMemory::free(int64_t pid, uint64_t address, std::optional<uint64_t> bytes, uint64_t device,
                      uint64_t time) {
  come_to(time);
  ++frees_;
  auto& blocks = blocks_[pid];
  if (const auto at = blocks.find(address); at != blocks.end()) {
    change(at->second.group, at->second.bytes, true);
    blocks.erase(at);
    return;
  }
  Device& of = devices_[device];
  ++of.freed_unknown.blocks;
  if (!bytes) ++of.unknown_sizes;
  add_samples(of.freed_unknown.bytes, bytes.value_or(0));
  of.level -= bytes.value_or(0);
}

void LiveMemory::release(int64_t pid, uint64_t time) {
  ended_.emplace_back(pid, time);
}

void LiveMemory::finish() {
  if (at_.kind == Kind::time && !is_past_) {
    release_ended(moment());
    look_everywhere();
  }
  if (at_.kind == Kind::end) look_everywhere();
}

// Of a moment of time.
uint64_t LiveMemory::moment() const {
  uint64_t out = begin_.value_or(0);
  add_saturating(out, at_.time);
  return out;
}

// Before a record of this time takes effect.
void LiveMemory::come_to(uint64_t time) {
  begin(time);
  if (at_.kind == Kind::time && !is_past_ && time > moment()) {
    release_ended(moment());
    look_everywhere();
    is_past_ = true;
  }
  release_ended(UINT64_MAX);
}

// Forgets the blocks of processes that have ended by then.
void LiveMemory::release_ended(uint64_t until) {
  std::erase_if(ended_, [&](const auto& ended) {
    if (ended.second > until) return false;
    const auto blocks = blocks_.find(ended.first);
    if (blocks == blocks_.end()) return true;
    for (const auto& [address, block] : blocks->second) change(block.group, block.bytes, true);
    blocks_.erase(blocks);
    return true;
  });
}

void LiveMemory::change(uint32_t group, uint64_t bytes, bool is_free) {
  Group& of = groups_[group];
  Device& device = devices_[of.device];
  if (is_free) {
    of.now.bytes -= bytes;
    --of.now.blocks;
    device.level -= bytes;
  } else {
    add_samples(of.now.bytes, bytes);
    ++of.now.blocks;
    device.level += bytes;
  }
  if (of.has_changed) return;
  of.has_changed = true;
  device.changed.push_back(group);
}

void LiveMemory::look(Device& device) {
  for (const uint32_t group : device.changed) {
    groups_[group].held = groups_[group].now;
    groups_[group].has_changed = false;
  }
  device.changed.clear();
  device.unknown_at_moment = device.freed_unknown;
  device.sizes_at_moment = device.unknown_sizes;
}

void LiveMemory::look_everywhere() {
  for (auto& [number, device] : devices_) look(device);
}

std::map<uint64_t, LiveMemory::Held> LiveMemory::devices() const {
  std::map<uint64_t, Held> out;
  for (const auto& [number, device] : devices_) {
    Held& held = out[number];
    held.unknown.bytes = device.freed_unknown.bytes - device.unknown_at_moment.bytes;
    held.unknown.blocks = device.freed_unknown.blocks - device.unknown_at_moment.blocks;
    held.unknown_sizes = device.unknown_sizes - device.sizes_at_moment;
    held.live = held.unknown;
  }
  for (const Group& group : groups_) {
    add_samples(out[group.device].live.bytes, group.held.bytes);
    add_samples(out[group.device].live.blocks, group.held.blocks);
  }
  return out;
}

}  // namespace aiflame::collapse
