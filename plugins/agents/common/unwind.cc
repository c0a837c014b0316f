/* SPDX-License-Identifier: MIT
 *
 * Unwinding inside a program that is not ours, on its launch path.
 *
 * The task: from the registers of the calling thread, find the return address of each frame up to
 * the thread's start. A step from a frame to its caller needs three numbers: where the caller's
 * frame is (the canonical frame address, CFA), where the return address lies, and where the
 * caller's frame pointer was saved. What follows has the names of x86-64: %rsp is the stack
 * pointer, %rbp the frame pointer, on AArch64 sp and x29 (unwind/this_machine.h).
 *
 * Which tables are read. Compilers write these rules into .eh_frame for every function, optimised
 * or not, because C++ exceptions need them. loader.h finds the loaded object of an address
 * and its .eh_frame_hdr, since glibc 2.35 without a lock; a binary search there leads to the entry
 * of the function, and a small interpreter (libcommon/symbols/call_frame_program.h) runs the
 * entry's instructions up to the row for the address. The tables are trusted as far as any loaded
 * code is, but every read of them is bounded by the object's mapping. Nothing is read from files.
 *
 * How a rule is cached. Nearly all rules read "CFA = %rsp or %rbp + n; the return address is at
 * CFA - 8; %rbp is at CFA - m, or untouched". On AArch64 the return address is wherever the
 * function has put it, mostly beside x29. That packs into one word (unwind/packed_rule.h), which is
 * kept per return address in one table for all threads. A warm step is then a hash, two loads from
 * the table, two adds and two loads from the stack. Rules that do not pack, which are those of PLT
 * stubs, signal frames and functions that realign their stack, are looked up and evaluated each
 * time. On top of this each thread remembers the frames of its last walks (unwind/last_walk.h), so
 * that the loads of a walk need not wait for each other. A library that is unloaded leaves rules in
 * the cache. If another one is mapped in its place, a wrong rule may lead a walk astray or end it
 * early, but it cannot make it fault.
 *
 * On AArch64, what may have saved no return address is a function that a signal interrupted: its
 * return address is then still in x30, which the kernel has saved. Return addresses may be signed
 * (pointer authentication); the signature is taken off before an address is compared or kept.
 *
 * Code without tables is code that a JIT compiler made. It is crossed by its frame pointer, where
 * that leads to a higher frame whose return address follows a call instruction; otherwise the walk
 * ends there.
 *
 * What may fault, and why it does not. A wrong rule, or a %rbp that is used as a general register,
 * can lead anywhere. So a CFA must lie above the frame that it was computed from, and every address
 * must be aligned and lie in the part of the stack that is known to be readable
 * (unwind/stack_memory.h). That part grows page by page, and the kernel tries each new page on our
 * behalf (is_readable() of readable.h): a system call that fails with EFAULT where a load would
 * have faulted. No signal handler is installed, and no descriptor is opened. A thread keeps the
 * known part of its own stack between walks, as that stack stays mapped while the thread runs, so a
 * warm walk makes no system call. On another stack, a coroutine's say, each walk starts anew.
 * Frames only ever go up, so a walk ends.
 *
 * Signals. A handler that launches a kernel may interrupt a walk of its own thread. The thread's
 * state is marked as in use, and the handler's walk then works without it.
 */
#include "plugins/agents/common/unwind.h"

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "libcommon/symbols/eh_frame.h"
#include "plugins/agents/common/loader.h"
#include "plugins/agents/common/readable.h"
#include "plugins/agents/common/thread_room.h"
#include "plugins/agents/common/unwind/last_walk.h"
#include "plugins/agents/common/unwind/packed_rule.h"
#include "plugins/agents/common/unwind/stack_memory.h"
#include "plugins/agents/common/unwind/this_machine.h"

namespace aiflame::agent {
namespace {

using eh_frame::Entry;
using eh_frame::Expression;
using eh_frame::Reader;

bool find_entry(uint64_t pc, Entry& entry) {
  LoadedObject found;
  if (!find_loaded_object(pc, found) || found.eh_frame_hdr == nullptr) return false;
  return eh_frame::find_entry({reinterpret_cast<const uint8_t*>(found.begin),
                               reinterpret_cast<const uint8_t*>(found.end), found.eh_frame_hdr},
                              pc, entry);
}

// The operations of DWARF expressions that occur in PLT stubs, signal frames and functions that
// realign their stack.
bool evaluate(StackMemory& memory, Expression expression, const WalkRegisters& registers,
              uint64_t cfa, bool push_cfa, uint64_t& value) {
  constexpr int kDepth = 16;
  uint64_t stack[kDepth];
  int top = 0;
  if (push_cfa) stack[top++] = cfa;
  Reader r{expression.begin, expression.end};
  while (r.ok && r.at < r.end) {
    const auto op = r.fixed<uint8_t>();
    if (op >= 0x70 && op <= 0x8f) {  // breg0..31
      const uint64_t number = op - 0x70u;
      const int64_t offset = r.sleb();
      if (top == kDepth) return false;
      uint64_t base = 0;
      if (number == kStackPointer)
        base = registers.sp;
      else if (number == kFramePointer)
        base = registers.bp;
      else if (number == kReturnAddress)
        base = kHasLinkRegister ? registers.link : registers.pc;
      else
        return false;
      stack[top++] = base + static_cast<uint64_t>(offset);
      continue;
    }
    if (op >= 0x30 && op <= 0x4f) {  // lit0..31
      if (top == kDepth) return false;
      stack[top++] = op - 0x30u;
      continue;
    }
    if (op == 0x06) {  // deref
      if (top < 1 || !memory.load(stack[top - 1], stack[top - 1])) return false;
      continue;
    }
    if (op == 0x23) {  // plus_uconst
      const uint64_t constant = r.uleb();
      if (top < 1) return false;
      stack[top - 1] += constant;
      continue;
    }
    if (op == 0x08) {  // const1u
      const auto constant = r.fixed<uint8_t>();
      if (top == kDepth) return false;
      stack[top++] = constant;
      continue;
    }
    if (top < 2) return false;
    const uint64_t b = stack[--top];
    uint64_t& a = stack[top - 1];
    switch (op) {
      case 0x1a:  // and
        a &= b;
        break;
      case 0x1c:  // minus
        a -= b;
        break;
      case 0x22:  // plus
        a += b;
        break;
      case 0x24:  // shl
        a = b < 64 ? a << b : 0;
        break;
      case 0x2a:  // ge, signed
        a = static_cast<int64_t>(a) >= static_cast<int64_t>(b) ? 1 : 0;
        break;
      default:
        return false;
    }
  }
  if (!r.ok || top < 1) return false;
  value = stack[top - 1];
  return true;
}

// The stack pointer of a frame that was reached by its frame pointer alone, with a link register:
// the frame pointer is where the rule says that the caller's was saved. 0: it is not known.
[[gnu::noinline]] uint64_t find_stack_pointer(uint64_t rule, const WalkRegisters& registers) {
  const uint64_t cfa = registers.bp + pointer_below(rule);
  const uint64_t sp = cfa - (rule & 0xffffffff);
  return saves_pointer(rule) && sp >= registers.sp && sp <= registers.bp ? sp : 0;
}

inline bool step_packed(StackMemory& memory, uint64_t rule, WalkRegisters& registers) {
  if (kHasLinkRegister && registers.is_sp_bound && (rule & kBaseBp) == 0) {
    registers.sp = find_stack_pointer(rule, registers);
    if (registers.sp == 0) return false;
  }
  const uint64_t cfa = ((rule & kBaseBp) != 0 ? registers.bp : registers.sp) + (rule & 0xffffffff);
  // the stack grows down: a caller's frame is above
  if (cfa <= registers.sp) return false;
  uint64_t bp = registers.bp;
  if (saves_pointer(rule) && !memory.load(cfa - pointer_below(rule), bp)) return false;
  if (!memory.load(cfa - return_below(rule), registers.pc)) return false;
  registers.pc = without_signature(registers.pc);
  if constexpr (kHasLinkRegister) registers.link = registers.pc;
  if constexpr (kHasLinkRegister) registers.is_sp_bound = false;
  registers.sp = cfa;
  registers.bp = bp;
  return true;
}

bool find(StackMemory& memory, const Register& rule, const WalkRegisters& registers, uint64_t cfa,
          uint64_t same, uint64_t& value) {
  uint64_t address = 0;
  switch (rule.rule) {
    case Register::Rule::same:
      value = same;
      return true;
    case Register::Rule::at_offset:
      return memory.load(cfa + static_cast<uint64_t>(rule.offset), value);
    case Register::Rule::at_expression:
      return evaluate(memory, rule.expression, registers, cfa, true, address) &&
             memory.load(address, value);
    case Register::Rule::undefined:
    case Register::Rule::unsupported:
      break;
  }
  return false;
}

// The step by a rule that does not pack. `at_call`: the frame has made a call.
bool step_row(StackMemory& memory, const Row& row, WalkRegisters& registers, bool at_call) {
  uint64_t cfa = 0;
  if (row.base == Row::kExpression) {
    if (!evaluate(memory, row.expression, registers, 0, false, cfa)) return false;
  } else if (row.base != kStackPointer && row.base != kFramePointer) {
    return false;
  } else if (kHasLinkRegister && row.base == kStackPointer && registers.is_sp_bound) {
    return false;
  } else {
    cfa = (row.base == kFramePointer ? registers.bp : registers.sp) +
          static_cast<uint64_t>(row.offset);
  }
  // with a link register, a function that makes no call may leave the stack as it is
  if (kHasLinkRegister && !at_call ? cfa < registers.sp : cfa <= registers.sp) return false;
  if (kHasLinkRegister && at_call && row.ra.rule == Register::Rule::same) return false;
  WalkRegisters caller = registers;
  if (!find(memory, row.ra, registers, cfa, kHasLinkRegister ? registers.link : 0, caller.pc))
    return false;
  caller.pc = without_signature(caller.pc);
  caller.link = caller.pc;
  // goes on with an unknown %rbp: the next frames may not need it
  if (!find(memory, row.bp, registers, cfa, registers.bp, caller.bp)) caller.bp = 0;
  caller.sp = cfa;
  caller.is_sp_bound = false;
  registers = caller;
  return true;
}

// Code without tables: after push %rbp; mov %rsp,%rbp the caller's %rbp is at %rbp, and the return
// address above it. After stp x29,x30,[sp,#-n]!; mov x29,sp the same holds of x29. There the frame
// goes on above the two, so the stack pointer is only a lower bound.
bool step_frame_pointer(StackMemory& memory, WalkRegisters& registers) {
  WalkRegisters caller{};
  if (registers.bp < registers.sp || !memory.load(registers.bp, caller.bp) ||
      !memory.load(registers.bp + 8, caller.pc))
    return false;
  caller.pc = without_signature(caller.pc);
  caller.link = caller.pc;
  if (!follows_call(caller.pc)) return false;
  caller.sp = registers.bp + 16;
  caller.is_sp_bound = kHasLinkRegister;
  registers = caller;
  return true;
}

// The step to the caller by the tables. `at_call`: pc is a return address, so the row is that of
// the instruction before it.
[[gnu::noinline]] bool step_cold(StackMemory& memory, WalkRegisters& registers, bool& at_call,
                                 bool* in_handler) {
  if (step_signal(memory, registers)) {
    at_call = false;
    if (in_handler != nullptr) *in_handler = true;
    return true;
  }
  const uint64_t pc = at_call ? registers.pc - 1 : registers.pc;
  Entry entry;
  if (!find_entry(pc, entry)) {
    at_call = true;
    return step_frame_pointer(memory, registers);
  }
  Row row;
  uint64_t end = 0;
  const OffStack<eh_frame::Remembered<Row>> room;
  if (!room || !eh_frame::find_row(entry, pc, row, end, *room)) return false;
  uint64_t rule = 0;
  if (pack_rule(row, rule)) {
    cache_rule(registers.pc, rule);
    at_call = true;
    return (rule & kEnd) == 0 && step_packed(memory, rule, registers);
  }
  const bool has_called = at_call;
  // a signal interrupts any instruction, not a call
  at_call = !entry.signal_frame;
  if (entry.signal_frame && in_handler != nullptr) *in_handler = true;
  return step_row(memory, row, registers, has_called);
}

}  // namespace

[[gnu::noinline]] int walk_stack(uint64_t* frames, int capacity, bool& cut, uint64_t* pointers,
                                 bool* in_handler) {
  const int saved_errno = errno;
  WalkRegisters registers = registers_here();
  ThreadRoom* room = thread_room();
  WalkState* known = room != nullptr && !room->walk.is_in_use ? &room->walk : nullptr;
  if (known != nullptr) known->is_in_use = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  StackMemory memory = known != nullptr ? known->memory : StackMemory{};
  // the known part must hold the stack pointer; on another stack it starts anew
  const uint64_t page = registers.sp & ~(kPage - 1);
  bool is_kept = true;
  if ((page < memory.begin || page >= memory.end) && !memory.reach_down(page)) {
    memory = StackMemory{page, page + kPage};
    is_kept = false;
  }
  bool at_call = false;
  int count = 0;
  cut = false;
  for (int at = 0;; ++at) {
    const uint64_t rule = cached_rule(registers.pc);
    if (known != nullptr && at < LastWalk::kMax &&
        known->last.put(at, registers.pc, registers.sp,
                        kHasLinkRegister && registers.is_sp_bound ? 0 : rule)) {
      const int more =
          known->last.follow(at, memory, registers, frames + count,
                             pointers == nullptr ? nullptr : pointers + count, capacity - count);
      if (more > 0) {
        at_call = true;
        count += more;
        at += more - 1;
        continue;
      }
    }
    if (rule != 0) {
      at_call = true;
      if ((rule & kEnd) != 0 || !step_packed(memory, rule, registers)) break;
    } else if (!step_cold(memory, registers, at_call, in_handler)) {
      break;
    }
    if (registers.pc == 0) break;
    if (count == capacity) {
      cut = true;
      break;
    }
    if (pointers != nullptr) pointers[count] = registers.sp;
    frames[count++] = registers.pc;
  }
  if (known != nullptr) {
    if (!is_kept && memory.reach_thread_start()) {
      memory.reach_further_down();
      is_kept = true;
    }
    if (is_kept) known->memory = memory;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    known->is_in_use = false;
  }
  errno = saved_errno;
  return count;
}

}  // namespace aiflame::agent
