// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/replay.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/text/address_map.h"

namespace aiflame::torch_memory {
namespace {

// Sums of hostile sizes do not fit 64 bits.
__extension__ typedef __int128 Wide;

// The blocks that are in use at the end, by address.
ByAddress<uint32_t> blocks_in_use(const Snapshot& snapshot, uint64_t device) {
  ByAddress<uint32_t> out;
  for (const Segment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    uint64_t running = segment.address;
    for (const EntryRun& run : segment.blocks)
      for (uint32_t i = run.first; i < run.first + run.count; ++i) {
        const Block& block = snapshot.blocks[i];
        if (block.state != BlockState::inactive) out.emplace(address_of(block, running), i);
        running += block.size;
      }
  }
  return out;
}

// What the entries say together, before it is known which moment is asked for.
struct Course {
  uint64_t entries = 0;
  uint64_t peak_at = 0;  // entries that have taken effect at the peak
  std::optional<uint64_t> out_of_memory_at;
  uint64_t until = 0;  // entries up to a time
};

Course course_of(const Snapshot& snapshot, uint64_t device, uint64_t until) {
  Course out;
  ByAddress<uint64_t> live;
  Wide now = 0, peak = 0;  // beside what was allocated at the start
  for_each_entry(snapshot, device, [&](uint64_t number, const Entry& entry) {
    ++out.entries;
    if (entry.action == Action::alloc) {
      const auto [at, added] = live.try_emplace(entry.address, entry.size);
      if (!added) {
        now -= at->second;
        at->second = entry.size;
      }
      now += entry.size;
    } else if (entry.action == Action::free_completed) {
      const auto at = live.find(entry.address);
      now -= at == live.end() ? entry.size : at->second;
      if (at != live.end()) live.erase(at);
    } else if (entry.action == Action::out_of_memory) {
      out.out_of_memory_at = number;
    }
    if (now > peak) {
      peak = now;
      out.peak_at = number + 1;
    }
    if (entry.time != 0 && entry.time <= until) out.until = number + 1;
  });
  return out;
}

// How many entries have taken effect at the moment.
std::optional<uint64_t> entries_at(const Snapshot& snapshot, uint64_t device,
                                   const MemoryMoment& moment) {
  const uint64_t until = first_time(snapshot) + moment.time / 1000;
  const Course course = course_of(snapshot, device, until);
  switch (moment.kind) {
    case MemoryMoment::Kind::peak:
      return course.peak_at;
    case MemoryMoment::Kind::end:
      return course.entries;
    case MemoryMoment::Kind::oom:
      return course.out_of_memory_at;
    case MemoryMoment::Kind::event:
      if (moment.event >= course.entries)
        throw Error(format("%s: device %llu has %llu entries: there is no event %llu",
                           snapshot.name.c_str(), static_cast<unsigned long long>(device),
                           static_cast<unsigned long long>(course.entries),
                           static_cast<unsigned long long>(moment.event)));
      return moment.event + 1;
    case MemoryMoment::Kind::time:
      return course.until;
  }
  return course.peak_at;
}

}  // namespace

std::vector<uint64_t> devices_of(const Snapshot& snapshot) {
  std::vector<uint64_t> out;
  for (uint64_t device = 0; device < snapshot.traces.size(); ++device)
    if (!snapshot.traces[device].empty()) out.push_back(device);
  for (const Segment& segment : snapshot.segments)
    if (segment.size > 0 || !segment.blocks.empty()) out.push_back(segment.device);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

uint64_t first_time(const Snapshot& snapshot) {
  if (snapshot.first_time) return *snapshot.first_time;
  uint64_t out = 0;
  for (uint64_t device = 0; device < snapshot.traces.size(); ++device) {
    uint64_t first = 0;
    for (const EntryRun& run : snapshot.traces[device]) {
      EntryLog::Reader entries(snapshot.log, run.first);
      for (uint32_t i = 0; i < run.count && first == 0; ++i) first = entries.next().time;
      if (first != 0) break;
    }
    if (first != 0 && (out == 0 || first < out)) out = first;
  }
  return out;
}

void for_each_entry(const Snapshot& snapshot, uint64_t device,
                    const std::function<void(uint64_t, const Entry&)>& use) {
  if (device >= snapshot.traces.size()) return;
  uint64_t number = 0;
  for (const EntryRun& run : snapshot.traces[device]) {
    EntryLog::Reader entries(snapshot.log, run.first);
    for (uint32_t i = 0; i < run.count; ++i) use(number++, entries.next());
  }
}

bool has_out_of_memory(const Snapshot& snapshot, uint64_t device) {
  bool out = false;
  for_each_entry(snapshot, device, [&](uint64_t, const Entry& entry) {
    out = out || entry.action == Action::out_of_memory;
  });
  return out;
}

uint64_t address_of(const Block& block, uint64_t running) {
  return block.address.value_or(running);
}

std::optional<Replay> replay(const Snapshot& snapshot, uint64_t device, const MemoryMoment& moment,
                             const std::function<void(const LiveBlock&)>& use) {
  const std::optional<uint64_t> asked = entries_at(snapshot, device, moment);
  if (!asked) return std::nullopt;
  Replay out;
  out.entries = *asked;
  ByAddress<LiveBlock> live;
  ByAddress<uint32_t> in_use = blocks_in_use(snapshot, device);
  // Those that are in use at the moment. They are handed out when their end is known.
  std::vector<std::pair<uint64_t, LiveBlock>> at_moment;
  ByAddress<size_t> held;  // those of them that have not been freed: places in `at_moment`
  bool is_past = *asked == 0;
  Wide reserved_later = 0;
  const auto free_held = [&](const Entry& entry) {
    const auto at = held.find(entry.address);
    if (at == held.end()) return;
    LiveBlock& block = at_moment[at->second].second;
    block.is_freed = true;
    block.freed = entry.time;
    held.erase(at);
  };
  for_each_entry(snapshot, device, [&](uint64_t number, const Entry& entry) {
    switch (entry.action) {
      case Action::alloc: {
        LiveBlock block;
        block.size = entry.size;
        block.time = entry.time;
        block.stack = entry.stack;
        block.group = entry.group;
        const auto [at, added] = live.try_emplace(entry.address, block);
        if (!added) {
          at->second = block;
          ++out.freed_unseen;
        }
        free_held(entry);
        break;
      }
      case Action::free_completed:
        if (live.erase(entry.address) == 0 && is_past) {
          LiveBlock block;
          block.origin = LiveBlock::Origin::freed_later;
          block.size = entry.size;
          block.is_freed = true;
          block.freed = entry.time;
          use(block);
        }
        free_held(entry);
        break;
      case Action::annotate:
        if (const auto at = live.find(entry.address); at != live.end())
          at->second.group = entry.group;
        break;
      case Action::segment_add:
        if (is_past) reserved_later += entry.size;
        break;
      case Action::segment_remove:
        if (is_past) reserved_later -= entry.size;
        break;
      case Action::out_of_memory:
        out.out_of_memory = entry;
        break;
      case Action::other:
        break;
    }
    if (number + 1 != *asked) return;
    is_past = true;
    out.time = entry.time;
    at_moment.assign(live.begin(), live.end());
    std::sort(at_moment.begin(), at_moment.end(),
              [](const auto& one, const auto& other) { return one.first < other.first; });
    for (size_t i = 0; i < at_moment.size(); ++i) held.emplace(at_moment[i].first, i);
  });
  for (auto& [address, block] : at_moment) {
    const auto at = in_use.find(address);
    if (at != in_use.end() && !block.is_freed) block.block = at->second;
    use(block);
  }
  Wide reserved = 0;
  bool has_segments = false;
  for (const Segment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    has_segments = has_segments || segment.size > 0;
    reserved += segment.size;
    uint64_t running = segment.address;
    for (const EntryRun& run : segment.blocks)
      for (uint32_t i = run.first; i < run.first + run.count; ++i) {
        const Block& from = snapshot.blocks[i];
        const uint64_t address = address_of(from, running);
        running += from.size;
        if (from.state == BlockState::inactive || live.count(address) != 0) continue;
        if (from.state == BlockState::pending_free) {
          ++out.pending;
          out.pending_bytes += from.requested;
          continue;
        }
        LiveBlock block;
        block.origin = LiveBlock::Origin::never_freed;
        block.size = from.requested;
        block.stack = from.stack;
        block.block = i;
        use(block);
      }
  }
  reserved -= reserved_later;
  if (has_segments && reserved >= 0 && reserved <= Wide{UINT64_MAX})
    out.reserved = static_cast<uint64_t>(reserved);
  return out;
}

}  // namespace aiflame::torch_memory
