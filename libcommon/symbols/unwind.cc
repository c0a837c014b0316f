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

// For a function without call frame information: most of these have a frame pointer. It points to
// the caller's frame pointer and, above that, the return address. On x86-64 these are the uppermost
// words of the frame.
bool step_by_frame_pointer(const CopiedStack& stack, Registers& registers) {
  const uint64_t frame = registers.frame_pointer();
  // the caller's frame must lie above, or the walk could loop for ever
  if (frame < registers.stack_pointer()) return false;
  uint64_t outer = 0, back = 0;
  if (!stack(frame, outer) || !stack(frame + 8, back)) return false;
  registers.frame_pointer() = outer;
  registers.stack_pointer() = frame + 16;
  registers.has_stack_pointer = !registers.machine->has_link_register();
  registers.at[registers.machine->return_address] = back;
  registers.return_to_caller();
  return true;
}

}  // namespace

bool step_out(const UnwindPlace& place, std::string_view stack, uint64_t start,
              Registers& registers, bool& is_call) {
  const CopiedStack copy{stack, start};
  const bool has_called = is_call;
  const uint64_t inner = registers.stack_pointer();
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
  if (rule.is_signal) return true;
  const uint64_t outer = registers.stack_pointer();
  if (registers.machine->has_link_register()) {
    // A function that makes no call may leave the stack as it is and the return address in its
    // register. One that has made a call has saved that register.
    if (!has_called) return outer >= inner;
    if (rule.kind == CallRule::Kind::plain && step == CallFrames::Step::done &&
        !rule.saves(registers.machine->return_address))
      return false;
  }
  // each call leaves at least a return address on the stack
  return outer > inner;
}

}  // namespace aiflame
