// SPDX-License-Identifier: MIT
// Unwinds copied stacks into call chains, by the call frame information of the objects, for
// recordings of `perf record --call-graph dwarf`. x86-64 and AArch64.
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
  bool is_call = false;  // set for find(): the frame below was called from here
};

// Whoever returns into AArch64's vDSO returns from a signal's handler, as no function there calls
// another.
inline constexpr CallRule kSignalReturn = {.kind = CallRule::Kind::signal_return,
                                           .is_signal = true};

// Moves `registers` from a frame to its caller; false at the end of the stack. `is_call` says
// whether the frame's address is a return address, and then whether the caller's is one.
[[nodiscard]] bool step_out(const UnwindPlace& place, std::string_view stack, uint64_t start,
                            Registers& registers, bool& is_call);

// Calls find(address, place) for each frame, leaf first, at most `limit` times. For callers the
// address is that of the call. find() sets `place`, or returns false, which ends the walk, when no
// file is mapped there.
template <typename Find>
void unwind(const UnwindState& state, size_t limit, const Find& find) {
  Registers registers = state.registers;
  const uint64_t start = registers.stack_pointer();
  bool is_call = false;
  for (size_t frames = 0; frames < limit; ++frames) {
    const uint64_t address = registers.instruction();
    if (address == 0) return;
    UnwindPlace place;
    place.is_call = is_call;
    // the call, not the return address, which may belong to the next function
    if (!find(is_call ? address - 1 : address, place)) return;
    if (!step_out(place, state.stack, start, registers, is_call)) return;
  }
}

}  // namespace aiflame
