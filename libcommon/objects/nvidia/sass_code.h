// SPDX-License-Identifier: MIT
// Finds what an instruction of an NVIDIA GPU waits for (pure): the instructions that count on the
// scoreboards that it waits for (sass_control.h), on all ways that lead to it (counter_search.h).
//
// What is not told by scoreboards has no answer: a wait for an mbarrier (SYNCS) or for a group of
// warpgroup matrix instructions (WARPGROUP.DEPBAR), and all waits for a fixed number of cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "libcommon/code/counter_search.h"
#include "libcommon/code/flow_graph.h"
#include "libcommon/objects/nvidia/sass_control.h"

namespace aiflame {

class SassCode {
 public:
  // The code of a kernel, and its jumps whose targets are in a table (nv_info.h), as offsets in it.
  SassCode(std::string_view code, unsigned architecture, const std::vector<FlowEdge>& indirect);

  // What the instruction at `index` waits for, as ascending indices.
  std::vector<uint32_t> producers(uint32_t index) const;

  // sass_operation() of the instruction at `index`.
  std::string_view operation(uint32_t index) const;

  const FlowGraph& ways() const { return flow_; }
  const std::vector<SassWord>& words() const { return words_; }

  size_t size() const { return code_.size(); }

 private:
  struct Instruction {
    uint8_t waits = 0;           // scoreboards, a bit each
    uint8_t counts = 0;          // scoreboards, a bit each
    uint8_t depbar = UINT8_MAX;  // of DEPBAR.LE: its scoreboard
    uint8_t leaves = 0;          // and what it leaves there
    bool starts_copy = false, closes_group = false;
    std::string_view operation;
  };

  static Instruction read(const SassWord& word);
  static Flow flow_of(std::string_view code, unsigned architecture,
                      const std::vector<FlowEdge>& indirect);
  CounterUse use(uint32_t index, unsigned scoreboard) const;
  std::vector<uint32_t> copies_of(uint32_t group) const;

  std::vector<SassWord> words_;
  std::vector<Instruction> code_;
  FlowGraph flow_;
};

}  // namespace aiflame
