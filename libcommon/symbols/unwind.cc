// SPDX-License-Identifier: MIT
#include "libcommon/symbols/unwind.h"

#include <cstring>

namespace aiflame {
namespace {

// Where nothing is told of a function: most have a frame pointer then.
bool step_by_frame_pointer(const CallFrames::Read& read, Registers& registers) {
  const uint64_t frame = registers.at[Registers::kFramePointer];
  // the caller's frame lies above: else it would go round for ever
  if (frame < registers.at[Registers::kStackPointer]) return false;
  uint64_t outer = 0, back = 0;
  if (!read(frame, outer) || !read(frame + 8, back)) return false;
  registers.at[Registers::kFramePointer] = outer;
  registers.at[Registers::kStackPointer] = frame + 16;
  registers.at[Registers::kInstruction] = back;
  return true;
}

}  // namespace

void unwind(const UnwindState& state, const FindUnwindPlace& find, size_t limit,
            std::vector<uint64_t>& out) {
  Registers registers = state.registers;
  const uint64_t start = registers.at[Registers::kStackPointer];
  const CallFrames::Read read = [&](uint64_t address, uint64_t& value) {
    if (address < start || address - start > state.stack.size() ||
        state.stack.size() - (address - start) < sizeof value)
      return false;
    std::memcpy(&value, state.stack.data() + (address - start), sizeof value);
    return true;
  };
  bool is_call = false;
  for (size_t frames = 0; frames < limit; ++frames) {
    uint64_t address = registers.at[Registers::kInstruction];
    if (address == 0) return;
    // where the call is, not where it will go on, which may be another function
    if (is_call) --address;
    out.push_back(address);
    UnwindPlace place;
    const uint64_t stack = registers.at[Registers::kStackPointer];
    bool is_signal = false;
    if (!find(address, place)) return;
    switch (place.object->step(place.vaddr, read, registers, is_signal)) {
      case CallFrames::Step::done:
        break;
      case CallFrames::Step::end:
        return;
      case CallFrames::Step::unknown:
        if (!step_by_frame_pointer(read, registers)) return;
        break;
    }
    // the leaf may have nothing on the stack but its return address; nobody has less
    if (!is_signal && registers.at[Registers::kStackPointer] <= stack) return;
    is_call = !is_signal;
  }
}

}  // namespace aiflame
