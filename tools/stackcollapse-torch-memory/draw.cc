// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/draw.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/folded/unit_scale.h"
#include "tools/stackcollapse-torch-memory/block_stacks.h"
#include "tools/stackcollapse-torch-memory/phases.h"
#include "tools/stackcollapse-torch-memory/replay.h"

namespace aiflame::torch_memory {
namespace {

// As moment_text(), of this snapshot.
std::string moment_of(const Settings& settings, const Replay& replay) {
  if (settings.at.kind != MemoryMoment::Kind::oom) return moment_text(settings.at);
  return "out of memory: " + bytes_text(replay.out_of_memory->size) + " asked for, " +
         bytes_text(replay.out_of_memory->address) + " free on the device; allocated";
}

using Lifetime = BlockStacks::Lifetime;

// What is freed within this time was in use for a moment only: within one layer of a model, which
// takes some milliseconds.
constexpr uint64_t kSoon = 10000;  // microseconds

// `step`: when the last step of the optimizer ended before the moment.
Lifetime lifetime_of(const LiveBlock& block, uint64_t moment, uint64_t step) {
  if (block.origin != LiveBlock::Origin::entry || (block.time != 0 && block.time < step))
    return Lifetime::held_over;
  if (!block.is_freed) return Lifetime::not_freed;
  const bool is_soon = block.freed >= moment && block.freed - moment <= kSoon;
  return is_soon ? Lifetime::freed_soon : Lifetime::freed_later;
}

// One device of a snapshot.
class Drawing {
 public:
  Drawing(const Snapshot& snapshot, uint64_t device, const Roots& roots, const Settings& settings,
          ImportedStacks& stacks)
      : snapshot_(snapshot),
        device_(device),
        settings_(settings),
        stacks_(stacks),
        blocks_(snapshot, device, roots, settings, stacks) {
    if (roots.device) name_ = format("device %llu: ", static_cast<unsigned long long>(device));
    if (settings.rank)
      name_ = format("rank %llu: ", static_cast<unsigned long long>(roots.rank)) + name_;
  }

  void draw_live();
  void draw_allocated();
  void draw_segments();

 private:
  // A line for people in front of the stacks.
  void note(const std::string& text) { stacks_.notes.push_back(name_ + text); }

  const Snapshot& snapshot_;
  const uint64_t device_;
  const Settings& settings_;
  ImportedStacks& stacks_;
  BlockStacks blocks_;
  std::string name_;
};

// "peak 6.53 GiB of 6.74 GiB reserved, 12 stacks; 73 % was allocated before recording began"
void Drawing::draw_live() {
  uint64_t live = 0, before = 0, over = 0, soon = 0;
  std::vector<LiveBlock> blocks;  // their lifetimes are known when the moment is
  const auto add = [&](const LiveBlock& block, Lifetime lifetime) {
    blocks_.add(block, lifetime);
    add_saturated(live, block.size);
    if (block.origin != LiveBlock::Origin::entry) add_saturated(before, block.size);
    if (lifetime == Lifetime::held_over) add_saturated(over, block.size);
    if (lifetime == Lifetime::freed_soon) add_saturated(soon, block.size);
  };
  const std::optional<Replay> sums =
      replay(snapshot_, device_, settings_.at, [&](const LiveBlock& block) {
        if (settings_.lifetimes)
          blocks.push_back(block);
        else
          add(block, Lifetime::not_told);
      });
  if (!sums) return note("out of memory: it never was; left out");
  if (settings_.lifetimes) {
    const uint64_t step = Phases::step_before(snapshot_, device_, sums->time);
    for (const LiveBlock& block : blocks) add(block, lifetime_of(block, sums->time, step));
  }
  blocks_.draw();
  const uint64_t pending = settings_.count ? sums->pending : sums->pending_bytes;
  if (sums->pending > 0) {
    stacks_.read(pending, sums->pending);
    stacks_.lose("blocks whose free was pending", pending, sums->pending);
  }
  MemoryHeld held{live, before, blocks_.stacks_drawn(), ""};
  if (sums->reserved) held.room = bytes_text(*sums->reserved) + " reserved";
  std::string text = memory_text(moment_of(settings_, *sums), held);
  if (settings_.lifetimes)
    text +=
        "; " + percent_text(over, live) + " held over, " + percent_text(soon, live) + " freed soon";
  if (snapshot_.overflowed) text += "; older entries were overwritten";
  note(text);
  if (sums->freed_unseen > 0)
    warn("%s: device %llu: %s allocated again without having been freed", snapshot_.name.c_str(),
         static_cast<unsigned long long>(device_), count_text(sums->freed_unseen, "block").c_str());
}

// "allocated 32.1 GiB in 6,526 blocks, 700 stacks"
void Drawing::draw_allocated() {
  uint64_t bytes = 0, count = 0;
  for_each_entry(snapshot_, device_, [&](uint64_t, const Entry& entry) {
    if (entry.action != Action::alloc) return;
    LiveBlock block;
    block.size = entry.size;
    block.time = entry.time;
    block.stack = entry.stack;
    block.group = entry.group;
    blocks_.add(block);
    add_saturated(bytes, entry.size);
    ++count;
  });
  blocks_.draw();
  note("allocated " + bytes_text(bytes) + " in " + count_text(count, "block") + ", " +
       count_text(blocks_.stacks_drawn(), "stack"));
}

// "reserved 6.74 GiB: 6.34 GiB in use, 7.97 MiB rounding, 399 MiB free, the largest block 20 MiB"
void Drawing::draw_segments() {
  uint64_t reserved = 0;
  for (const Segment& segment : snapshot_.segments)
    if (segment.device == device_) {
      blocks_.add(segment);
      add_saturated(reserved, segment.size);
    }
  const SegmentSums& sums = blocks_.segment_sums();
  blocks_.draw();
  note("reserved " + bytes_text(reserved) + ": " + bytes_text(sums.used) + " in use, " +
       bytes_text(sums.rounding) + " rounding, " + bytes_text(sums.free) + " free, " +
       bytes_text(sums.largest_free) + " of it in the largest block");
}

}  // namespace

Quantity quantity_of(const Settings& settings) {
  if (settings.content == Content::segments)
    return {.event = "gpu-memory-reserved", .unit = std::string(kBytes)};
  const std::string event =
      settings.content == Content::allocated ? "gpu-memory-allocated" : "gpu-memory";
  return {.event = event, .unit = settings.count ? "blocks" : std::string(kBytes)};
}

void draw(const Snapshot& snapshot, uint64_t rank, const Settings& settings,
          ImportedStacks& stacks) {
  stacks.quantity = quantity_of(settings);
  std::vector<uint64_t> devices = devices_of(snapshot);
  // a picture of two devices without their names would add up peaks of different times
  const bool names_device = settings.devices || (devices.size() > 1 && !settings.device);
  if (settings.device)
    std::erase_if(devices, [&](uint64_t device) { return device != *settings.device; });
  if (devices.empty())
    throw Error(snapshot.name + (settings.device
                                     ? format(": device %llu has no memory in it",
                                              static_cast<unsigned long long>(*settings.device))
                                     : ": the snapshot has no segments and no entries"));
  if (settings.content == Content::live && settings.at.kind == MemoryMoment::Kind::oom &&
      std::none_of(devices.begin(), devices.end(),
                   [&](uint64_t device) { return has_out_of_memory(snapshot, device); }))
    throw Error(snapshot.name + ": the snapshot has no entry 'oom': memory did not run out");
  if (settings.content == Content::allocated && snapshot.log.size() == 0)
    throw Error(snapshot.name + ": the snapshot has no entries: see _record_memory_history()");
  if (settings.content == Content::segments && snapshot.segments.empty())
    throw Error(snapshot.name + ": the snapshot has no segments");
  for (const uint64_t device : devices) {
    Drawing drawing(snapshot, device, {rank, names_device}, settings, stacks);
    if (settings.content == Content::segments)
      drawing.draw_segments();
    else if (settings.content == Content::allocated)
      drawing.draw_allocated();
    else
      drawing.draw_live();
  }
  // these have no bytes of a device
  const auto leave_out = [&](const char* what, uint64_t records) {
    if (records == 0) return;
    stacks.read(0, records);
    stacks.lose(what, 0, records);
  };
  leave_out("entries of an unknown action", snapshot.unknown_actions);
  leave_out("entries of pinned memory of the host", snapshot.host_entries);
  leave_out("segments of pinned memory of the host", snapshot.host_segments);
}

}  // namespace aiflame::torch_memory
