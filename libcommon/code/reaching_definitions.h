// SPDX-License-Identifier: MIT
// Finds which instructions hand a value to another one through registers (pure).
//
// The search goes backwards from the reader along all ways that lead to it (flow_graph.h), with the
// registers that are still wanted. A write of one of them is a definition that reaches the reader,
// and ends the search for that register on that way, unless it is conditional: then the older value
// may reach the reader too.
//
//   0x10       mov  r2, 0
//   0x20       mov  r4, r1
//   0x30  @P0  mov  r2, r1
//   0x40       add  r3, r2, r4       r2 of 0x30 or of 0x10, r4 of 0x20
//
// An instruction of unknown registers is passed over as if it wrote none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "libcommon/code/call_contexts.h"
#include "libcommon/code/code_flow.h"

namespace aiflame {

struct Dependency {
  uint32_t index = 0;     // of the instruction that is depended on
  uint32_t distance = 0;  // steps from it to the reader on the shortest way; 1: just before
  bool data = false;      // the reader reads what it writes
  bool awaited = false;   // the reader waits until it is done, says the code
};

struct Dependencies {
  std::vector<Dependency> all;  // by index
  // False where there may be others: the reader's registers or a way to it are not known, or the
  // search took too long.
  bool complete = true;
};

class ReachingDefinitions {
 public:
  // Instructions that are visited for one reader, counting each way to them. What is further away
  // has had time enough.
  static constexpr size_t kMaxSteps = 4096;
  // Definitions that are kept of one reader.
  static constexpr size_t kMaxFound = 64;

  // `code` outlives this. Of all searches together, those after `steps` find nothing.
  ReachingDefinitions(const CodeFlow& code, uint64_t steps);

  uint64_t steps_left() const { return steps_left_; }

  // What the instruction at `index` depends on: the definitions that reach it, and `awaited`,
  // ascending, which it waits for. One of `awaited` that the search does not meet has the distance
  // kMaxSteps.
  Dependencies of(uint32_t index, const std::vector<uint32_t>& awaited);

 private:
  // The wanted registers are bits: each stands for a run of units.
  struct Wanted {
    RegisterRange range;
    unsigned bit = 0;  // of its first unit
  };
  struct Step {
    uint32_t index, context, distance;
    uint64_t wanted;
  };

  uint64_t want(const RegisterUse& its);
  uint64_t overlap(const RegisterRange& write, bool whole) const;
  void pass(const Step& step);
  void visit_predecessors(const Step& from);
  uint64_t& seen(uint32_t context, uint32_t index);
  Dependency& found(uint32_t index, uint32_t distance);

  const CodeFlow& code_;
  uint64_t steps_left_;
  std::vector<Wanted> wanted_;
  uint64_t run_length_ = 1;  // units that a bit stands for

  // Of the search that goes on. By instruction, valid where the stamp is this search's:
  uint32_t search_ = 0;
  std::vector<uint32_t> seen_stamp_, found_stamp_, found_at_;
  std::vector<uint64_t> seen_;
  std::unordered_map<uint64_t, uint64_t> seen_inside_;  // of calls
  CallContexts contexts_;
  std::vector<Step> open_;
  size_t steps_ = 0;
  const std::vector<uint32_t>* awaited_ = nullptr;
  size_t awaited_left_ = 0;
  Dependencies out_;
};

}  // namespace aiflame
