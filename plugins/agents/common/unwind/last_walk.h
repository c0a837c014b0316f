/* SPDX-License-Identifier: MIT
 *
 * The frames of a thread's last walks, as hints for the next one.
 *
 * A walk is a chain in which each step waits for the step before it: the place of a frame gives the
 * place of its return address, and that gives the rule for the next step. But a thread that
 * launches again is nearly always in the same functions as before. So the frames of its last walks
 * say where to look, and the processor can load from all of these places at once. They are hints
 * only: a frame counts when it lies where the rule of the frame below puts it, and when the return
 * address found there is the one that is expected.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "plugins/agents/common/unwind/packed_rule.h"
#include "plugins/agents/common/unwind/stack_memory.h"
#include "plugins/agents/common/unwind/this_machine.h"

namespace aiflame::agent {

class LastWalk {
 public:
  // The walk has reached the frame at `sp`, which is number `at`. Returns whether that frame was
  // known.
  [[nodiscard]] bool put(int at, uint64_t pc, uint64_t sp, uint64_t rule) {
    int next = at;
    while (next < size_ && frames_[next].sp < sp) ++next;
    const bool is_there = next < size_ && frames_[next].sp == sp;
    const bool is_known = is_there && frames_[next].pc == pc;
    // the frames between are gone; those after it may still be right
    if (is_there) ++next;
    if (next != at + 1) move(next, at + 1);
    frames_[at] = Frame{pc, sp, rule};
    return is_known;
  }

  // Follows the chain from frame `at`, where `registers` are, through all callers that are as they
  // were. Writes at most `capacity` return addresses to `frames`, and their stack pointers to
  // `pointers`. Returns how many; `registers` are then in the last of them.
  int follow(int at, StackMemory& memory, WalkRegisters& registers, uint64_t* frames,
             uint64_t* pointers, int capacity) const {
    int count = 0;
    uint64_t bp = registers.bp;
    for (; count < capacity && at + count + 1 < size_; ++count) {
      const Frame& frame = frames_[at + count];
      const Frame& caller = frames_[at + count + 1];
      const uint64_t rule = frame.rule;
      const uint64_t cfa = ((rule & kBaseBp) != 0 ? bp : frame.sp) + (rule & 0xffffffff);
      uint64_t pc = 0;
      if (rule == 0 || (rule & kEnd) != 0 || cfa != caller.sp || cfa <= frame.sp) break;
      // loads from the known address, not from the one just computed: nothing to wait for
      uint64_t caller_bp = bp;
      if (saves_pointer(rule) && !memory.load(caller.sp - pointer_below(rule), caller_bp)) break;
      if (!memory.load(caller.sp - return_below(rule), pc)) break;
      pc = without_signature(pc);
      if (pc != caller.pc) break;
      bp = caller_bp;
      frames[count] = pc;
      if (pointers != nullptr) pointers[count] = cfa;
    }
    const Frame& last = frames_[at + count];
    registers.pc = last.pc;
    registers.sp = last.sp;
    registers.bp = bp;
    if constexpr (kHasLinkRegister) registers.link = last.pc;
    if constexpr (kHasLinkRegister) registers.is_sp_bound = false;
    return count;
  }

  // Frames beyond these are walked step by step each time.
  static constexpr int kMax = 128;

 private:
  struct Frame {
    uint64_t pc = 0, sp = 0, rule = 0;
  };

  void move(int from, int to) {
    int count = size_ - from;
    if (count > kMax - to) count = kMax - to;
    if (count > 0)
      std::memmove(frames_ + to, frames_ + from, static_cast<size_t>(count) * sizeof(Frame));
    size_ = to + (count > 0 ? count : 0);
  }

  int size_ = 0;
  Frame frames_[kMax];  // by sp
};

}  // namespace aiflame::agent
