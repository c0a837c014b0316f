// SPDX-License-Identifier: MIT
// Call chains out of copied stacks, by the call frame information of the objects: what
// `perf record --call-graph dwarf` leaves to be done. Of x86-64 alone.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcommon/symbols/call_frames.h"

namespace aiflame {

struct UnwindState {
  Registers registers;
  std::string_view stack;  // from the stack pointer up
};

// Code of a process: its object, and where in it. Both may be missing where the rule is known, and
// is not `other`; where it is not, the object is asked.
struct UnwindPlace {
  CallFrames* object = nullptr;
  uint64_t vaddr = 0;
  const CallRule* rule = nullptr;
};

// From a frame to its caller; false where that is as far as it goes. `is_call`: the caller's
// address is one to return to.
bool step_out(const UnwindPlace& place, std::string_view stack, uint64_t start,
              Registers& registers, bool& is_call);

// Calls find(address, place) for each frame, leaf first, `limit` of them at most: of callers with
// the address of the call. It tells the place; false where no file is mapped, which is the end.
template <typename Find>
void unwind(const UnwindState& state, size_t limit, const Find& find) {
  Registers registers = state.registers;
  const uint64_t start = registers.at[Registers::kStackPointer];
  bool is_call = false;
  for (size_t frames = 0; frames < limit; ++frames) {
    const uint64_t address = registers.at[Registers::kInstruction];
    if (address == 0) return;
    UnwindPlace place;
    // where the call is, not where it will go on, which may be another function
    if (!find(is_call ? address - 1 : address, place)) return;
    if (!step_out(place, state.stack, start, registers, is_call)) return;
  }
}

}  // namespace aiflame
