// SPDX-License-Identifier: MIT
// Adds up blocks of memory by their stacks.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/text/numbered_table.h"
#include "tools/stackcollapse-torch-memory/phases.h"
#include "tools/stackcollapse-torch-memory/replay.h"
#include "tools/stackcollapse-torch-memory/settings.h"
#include "tools/stackcollapse-torch-memory/snapshot.h"
#include "tools/stackcollapse-torch-memory/stack_frames.h"

namespace aiflame::torch_memory {

// Adds, up to the largest number: for sums that people read.
inline void add_saturated(uint64_t& sum, uint64_t more) {
  sum = more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}

// Root frames of all stacks of a device.
struct Roots {
  uint64_t rank = 0;    // with --rank
  bool device = false;  // [device N]
};

// Bytes of segments.
struct SegmentSums {
  uint64_t used = 0;      // as they were asked for
  uint64_t rounding = 0;  // of blocks in use
  uint64_t free = 0;
  uint64_t largest_free = 0;  // one block
};

class BlockStacks {
 public:
  BlockStacks(const Snapshot& snapshot, uint64_t device, const Roots& roots,
              const Settings& settings, ImportedStacks& stacks);

  // What becomes of a block (--lifetimes).
  enum class Lifetime : uint32_t { not_told, held_over, freed_soon, freed_later, not_freed };

  void add(const LiveBlock& block, Lifetime lifetime = Lifetime::not_told);
  // All of a segment: what is in use, and what is not.
  void add(const Segment& segment);
  // Adds the sums to the stacks.
  void draw();
  size_t stacks_drawn() const { return drawn_.size(); }
  const SegmentSums& segment_sums() const { return segment_sums_; }

 private:
  // Why a block has no stack, or a part of a segment is not in use.
  enum class Frame : uint32_t {
    of_stack,
    alloc_not_recorded,
    rounding,
    pending_free,
    fragmented,
    whole_segment,
    no_block,
  };
  // What the blocks of a line have in common: numbers of the snapshot, and frames and stacks of
  // `stacks_`.
  struct Place {
    uint32_t stack = Snapshot::kNoStack, frame = 0;
    uint32_t stream = kUnknown, pool = kUnknown;
    uint32_t annotation = 0, category = 0;
    uint32_t phase = ImportedStacks::kEmpty, slice = 0;
    uint32_t lifetime = 0;
    bool operator==(const Place&) const = default;
  };
  struct Sum {
    uint64_t weight = 0, blocks = 0;
  };

  void add(Place place, Frame frame, uint64_t bytes, uint64_t blocks);
  uint32_t stack_of(const Place& place);
  uint32_t top_of(uint32_t below, const Place& place);

  const Snapshot& snapshot_;
  const uint64_t device_;
  const Roots roots_;
  const Settings& settings_;
  ImportedStacks& stacks_;
  StackFrames frames_;
  std::optional<Phases> phases_;
  const uint64_t first_time_;
  NumberedTable<Place> places_;
  std::vector<Sum> sums_;                  // by place
  std::vector<uint32_t> segment_numbers_;  // by block
  std::set<uint32_t> drawn_;               // stacks
  SegmentSums segment_sums_;
};

}  // namespace aiflame::torch_memory
