// SPDX-License-Identifier: MIT
#include "libcommon/symbols/unwind.h"

#include <cstring>

namespace aiflame {
namespace {

struct CopiedStack {
  std::string_view bytes;
  uint64_t start;  // its address

  bool operator()(uint64_t address, uint64_t& value) const {
    if (address < start || address - start > bytes.size() ||
        bytes.size() - (address - start) < sizeof value)
      return false;
    std::memcpy(&value, bytes.data() + (address - start), sizeof value);
    return true;
  }
};

// For a function without call frame information: most of these have a frame pointer.
bool step_by_frame_pointer(const CopiedStack& stack, Registers& registers) {
  const uint64_t frame = registers.at[Registers::kFramePointer];
  // the caller's frame must lie above, or the walk could loop for ever
  if (frame < registers.at[Registers::kStackPointer]) return false;
  uint64_t outer = 0, back = 0;
  if (!stack(frame, outer) || !stack(frame + 8, back)) return false;
  registers.at[Registers::kFramePointer] = outer;
  registers.at[Registers::kStackPointer] = frame + 16;
  registers.at[Registers::kInstruction] = back;
  return true;
}

}  // namespace

bool step_out(const UnwindPlace& place, std::string_view stack, uint64_t start,
              Registers& registers, bool& is_call) {
  const CopiedStack copy{stack, start};
  const uint64_t inner = registers.at[Registers::kStackPointer];
  const CallRule& rule = place.rule != nullptr ? *place.rule : place.object->rule_at(place.vaddr);
  const auto step = rule.kind == CallRule::Kind::other
                        ? place.object->step(place.vaddr, rule, copy, registers)
                        : CallFrames::step(rule, copy, registers);
  switch (step) {
    case CallFrames::Step::done:
      break;
    case CallFrames::Step::end:
      return false;
    case CallFrames::Step::unknown:
      if (!step_by_frame_pointer(copy, registers)) return false;
      break;
  }
  is_call = !rule.is_signal;
  // each call leaves at least a return address on the stack
  return rule.is_signal || registers.at[Registers::kStackPointer] > inner;
}

}  // namespace aiflame
