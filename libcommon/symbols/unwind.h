// SPDX-License-Identifier: MIT
// Unwinds copied stacks into call chains, by the call frame information of the objects, for
// recordings of `perf record --call-graph dwarf`. x86-64 only.
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

// A place in a process's code: its object, and the address in the object. Both may be missing when
// `rule` is given and is not CallRule::Kind::other.
struct UnwindPlace {
  CallFrames* object = nullptr;
  uint64_t vaddr = 0;
  const CallRule* rule = nullptr;
};

// Moves `registers` from a frame to its caller; false at the end of the stack. `is_call` is set
// when the caller's address is a return address.
bool step_out(const UnwindPlace& place, std::string_view stack, uint64_t start,
              Registers& registers, bool& is_call);

// Calls find(address, place) for each frame, leaf first, at most `limit` times. For callers the
// address is that of the call. find() sets `place`, or returns false, which ends the walk, when no
// file is mapped there.
template <typename Find>
void unwind(const UnwindState& state, size_t limit, const Find& find) {
  Registers registers = state.registers;
  const uint64_t start = registers.at[Registers::kStackPointer];
  bool is_call = false;
  for (size_t frames = 0; frames < limit; ++frames) {
    const uint64_t address = registers.at[Registers::kInstruction];
    if (address == 0) return;
    UnwindPlace place;
    // the call, not the return address, which may belong to the next function
    if (!find(is_call ? address - 1 : address, place)) return;
    if (!step_out(place, state.stack, start, registers, is_call)) return;
  }
}

}  // namespace aiflame
