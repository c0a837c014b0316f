// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/block_stacks.h"

#include <algorithm>

#include "libcommon/base/program.h"

namespace aiflame::torch_memory {

BlockStacks::BlockStacks(const Snapshot& snapshot, uint64_t device, const Roots& roots,
                         const Settings& settings, ImportedStacks& stacks)
    : snapshot_(snapshot),
      device_(device),
      roots_(roots),
      settings_(settings),
      stacks_(stacks),
      frames_(snapshot, settings, stacks),
      first_time_(first_time(snapshot)),
      segment_numbers_(snapshot.blocks.size(), kUnknown) {
  if (settings.phases) phases_.emplace(snapshot, device, stacks);
  for (uint32_t i = 0; i < snapshot.segments.size(); ++i)
    for (const EntryRun& run : snapshot.segments[i].blocks)
      for (uint32_t block = run.first; block < run.first + run.count; ++block)
        segment_numbers_[block] = i;
}

void BlockStacks::add(const LiveBlock& block, Lifetime lifetime) {
  Place place;
  place.lifetime = static_cast<uint32_t>(lifetime);
  place.stack = block.stack;
  if (block.group != kUnknown) {
    const Group& group = snapshot_.groups.key(block.group);
    place.stream = group.stream;
    place.pool = group.pool;
    place.annotation = group.annotation;
    place.category = group.category;
  }
  if (block.block != kUnknown) {
    // what entries do not tell, the segment of the block does
    if (const uint32_t number = segment_numbers_[block.block]; number != kUnknown) {
      const Segment& segment = snapshot_.segments[number];
      if (place.stream == kUnknown) place.stream = segment.stream;
      if (place.pool == kUnknown) place.pool = segment.pool;
    }
    if (place.category == 0) place.category = snapshot_.blocks[block.block].category;
  }
  if (phases_ && block.time != 0) place.phase = phases_->at(block.time);
  if (settings_.by_time.is_set())
    place.slice = stacks_.frame(
        settings_.by_time.name(block.time == 0 || block.time < first_time_
                                   ? std::nullopt
                                   : std::optional((block.time - first_time_) * 1000)));
  add(place,
      block.origin == LiveBlock::Origin::freed_later ? Frame::alloc_not_recorded : Frame::of_stack,
      block.size, 1);
}

void BlockStacks::add(const Segment& segment) {
  bool in_use = false;
  for (const EntryRun& run : segment.blocks)
    for (uint32_t i = run.first; i < run.first + run.count; ++i)
      in_use = in_use || snapshot_.blocks[i].state != BlockState::inactive;
  Place place;
  place.stream = segment.stream;
  place.pool = segment.pool;
  uint64_t in_blocks = 0;
  for (const EntryRun& run : segment.blocks)
    for (uint32_t i = run.first; i < run.first + run.count; ++i) {
      const Block& block = snapshot_.blocks[i];
      add_saturated(in_blocks, block.size);
      Place of_block = place;
      of_block.stack = block.stack;
      of_block.category = block.category;
      switch (block.state) {
        case BlockState::active: {
          const uint64_t used = std::min(block.requested, block.size);
          add(of_block, Frame::of_stack, used, 1);
          add(of_block, Frame::rounding, block.size - used, 0);
          add_saturated(segment_sums_.used, used);
          add_saturated(segment_sums_.rounding, block.size - used);
          break;
        }
        case BlockState::pending_free:
          add(of_block, Frame::pending_free, block.size, 1);
          break;
        case BlockState::inactive:
          // the stack of such a block is of what it held last
          add(place, in_use ? Frame::fragmented : Frame::whole_segment, block.size, 1);
          add_saturated(segment_sums_.free, block.size);
          segment_sums_.largest_free = std::max(segment_sums_.largest_free, block.size);
          break;
      }
    }
  if (segment.size > in_blocks) add(place, Frame::no_block, segment.size - in_blocks, 0);
}

void BlockStacks::add(Place place, Frame frame, uint64_t bytes, uint64_t blocks) {
  place.frame = static_cast<uint32_t>(frame);
  if (frame != Frame::of_stack && frame != Frame::rounding && frame != Frame::pending_free)
    place.stack = Snapshot::kNoStack;
  if (!settings_.streams) place.stream = kUnknown;
  if (!settings_.pools) place.pool = kUnknown;
  const uint32_t number = places_.number(place);
  if (sums_.size() <= number) sums_.resize(number + 1);
  if (__builtin_add_overflow(sums_[number].weight, settings_.count ? blocks : bytes,
                             &sums_[number].weight))
    throw Error(snapshot_.name + ": the sum of all blocks is more than 2^64 bytes");
  sums_[number].blocks += blocks;
}

void BlockStacks::draw() {
  for (uint32_t number = 0; number < places_.size(); ++number) {
    const Sum& sum = sums_[number];
    const Place& place = places_.key(number);
    const auto frame = static_cast<Frame>(place.frame);
    stacks_.read(sum.weight, sum.blocks);
    if (frame == Frame::alloc_not_recorded)
      stacks_.part("whose allocation was not recorded", sum.weight, sum.blocks);
    else if (frame == Frame::of_stack && place.stack == Snapshot::kNoStack)
      stacks_.part("without a stack", sum.weight, sum.blocks);
    const uint32_t stack = stack_of(place);
    stacks_.add(stack, sum.weight, sum.blocks);
    if (sum.weight > 0) drawn_.insert(stack);
  }
}

// Slice, rank, device, lifetime, pool, stream, phases, annotation and category stand in front.
uint32_t BlockStacks::stack_of(const Place& place) {
  uint32_t out = ImportedStacks::kEmpty;
  if (settings_.by_time.is_set() && settings_.content != Content::segments)
    out = stacks_.child(out, place.slice);
  if (settings_.rank) out = stacks_.child(out, "rank " + std::to_string(roots_.rank));
  if (roots_.device) out = stacks_.child(out, "[device " + std::to_string(device_) + "]");
  constexpr const char* kLifetimes[] = {"", "[held over]", "[freed soon]", "[freed later]",
                                        "[not freed]"};
  if (place.lifetime != 0) out = stacks_.child(out, kLifetimes[place.lifetime]);
  if (settings_.pools) {
    std::string text = "[unknown pool]";
    if (place.pool != kUnknown) {
      const Pool& pool = snapshot_.pools.key(place.pool);
      const uint64_t first = pool.first.number(), second = pool.second.number();
      text = first == 0 && second == 0
                 ? "[default pool]"
                 : "[pool " + std::to_string(first) + "," + std::to_string(second) + "]";
    }
    out = stacks_.child(out, text);
  }
  if (settings_.streams)
    out = stacks_.child(
        out, place.stream == kUnknown
                 ? "[unknown stream]"
                 : "[stream " + std::to_string(snapshot_.streams.key(place.stream).number()) + "]");
  out = stacks_.append(out, place.phase);
  if (place.annotation != 0)
    out = stacks_.child(out, range_frame(snapshot_.texts.text(place.annotation)));
  if (place.category != 0)
    out = stacks_.child(out, "[" + std::string(snapshot_.texts.text(place.category)) + "]");
  return top_of(out, place);
}

uint32_t BlockStacks::top_of(uint32_t below, const Place& place) {
  switch (static_cast<Frame>(place.frame)) {
    case Frame::of_stack:
      return frames_.on(below, place.stack);
    case Frame::alloc_not_recorded:
      return stacks_.child(below, "[alloc not recorded]");
    case Frame::rounding:
      return stacks_.child(frames_.on(below, place.stack), "[rounding]");
    case Frame::pending_free:
      return stacks_.child(frames_.on(below, place.stack), "[pending free]");
    case Frame::fragmented:
      return stacks_.child(stacks_.child(below, "[free in segment]"), "[fragmented]");
    case Frame::whole_segment:
      return stacks_.child(stacks_.child(below, "[free in segment]"), "[whole segment]");
    case Frame::no_block:
      return stacks_.child(below, "[not in a block]");
  }
  return below;
}

}  // namespace aiflame::torch_memory
