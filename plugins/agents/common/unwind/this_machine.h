/* SPDX-License-Identifier: MIT
 *
 * What a walk asks of the processor that it runs on: its registers, its call instructions, and how
 * return addresses are written. Agents are built for x86-64 and AArch64.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcommon/symbols/call_machine.h"
#include "plugins/agents/common/readable.h"
#include "plugins/agents/common/unwind/stack_memory.h"

namespace aiflame::agent {

constexpr uint64_t kFramePointer = kThisMachine.frame_pointer;
constexpr uint64_t kStackPointer = kThisMachine.stack_pointer;
constexpr uint64_t kReturnAddress = kThisMachine.return_address;
// A call leaves the return address in a register, not on the stack.
constexpr bool kHasLinkRegister = kThisMachine.has_link_register();

// `bp` is the frame pointer. Two matter only where the machine has a link register: `link` is that,
// in a frame that a signal interrupted, which may not have saved it; `is_sp_bound` says that the
// stack pointer is known only to be at or above `sp`.
struct WalkRegisters {
  uint64_t pc, sp, bp, link;
  bool is_sp_bound;
};

// A return address without its signature (pointer authentication). `hint #7` is xpaclri, which does
// nothing on processors without it. It works on x30 alone.
inline uint64_t without_signature(uint64_t address) {
#if defined(__aarch64__)
  register uint64_t link asm("x30") = address;
  asm("hint #7" : "+r"(link));
  return link;
#else
  return address;
#endif
}

// The registers of the function that calls this.
[[gnu::always_inline]] inline WalkRegisters registers_here() {
  WalkRegisters out{};
#if defined(__aarch64__)
  asm volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29" : "=r"(out.pc), "=r"(out.sp), "=r"(out.bp));
  out.link = without_signature(reinterpret_cast<uint64_t>(__builtin_return_address(0)));
#else
  asm volatile("lea (%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
               : "=r"(out.pc), "=r"(out.sp), "=r"(out.bp));
#endif
  return out;
}

// Whether a call instruction ends at `pc`. On AArch64 that is bl; or blr, blraa and the like. On
// x86-64, e8 and 4 bytes is a near call, ff /2 an indirect one of 2 to 7 bytes. Not instrumented:
// what only looks like a return address may point anywhere, even between a sanitizer's variables.
[[gnu::no_sanitize_address]] inline bool follows_call(uint64_t pc) {
  if (pc < kPage || !is_readable(pc - 8)) return false;
#if defined(__aarch64__)
  if (pc % 4 != 0) return false;
  const uint32_t call = *reinterpret_cast<const volatile uint32_t*>(pc - 4);
  return (call & 0xfc000000) == 0x94000000 || (call & 0xfefff000) == 0xd63f0000;
#else
  uint8_t code[7];
  // byte by byte, because a sanitizer checks memcpy()
  const auto* bytes = reinterpret_cast<const volatile uint8_t*>(pc - sizeof code);
  for (size_t i = 0; i < sizeof code; ++i) code[i] = bytes[i];
  if (code[2] == 0xe8) return true;
  for (unsigned length = 2; length <= 7; ++length) {
    const uint8_t* call = code + sizeof code - length;
    if (call[0] == 0xff && (call[1] >> 3 & 7) == 2) return true;
  }
  return false;
#endif
}

// The step out of a signal's handler on AArch64, where the kernel's vDSO has no tables for the code
// that a handler returns to: mov x8, #139; svc #0. The kernel has put 128 bytes of siginfo on the
// stack and a ucontext, whose sigcontext begins at 176: a fault address, x0 to x30, sp, pc. False
// elsewhere: x86-64's C library has tables for that code.
[[gnu::no_sanitize_address]] inline bool step_signal([[maybe_unused]] StackMemory& memory,
                                                     [[maybe_unused]] WalkRegisters& registers) {
#if defined(__aarch64__)
  if (registers.pc % 4 != 0 || !is_readable(registers.pc)) return false;
  const auto* code = reinterpret_cast<const volatile uint32_t*>(registers.pc);
  if (code[0] != 0xd2801168 || code[1] != 0xd4000001) return false;
  const uint64_t x0 = registers.sp + 128 + 176 + 8;
  const auto saved = [x0](uint64_t number) { return x0 + 8 * number; };
  WalkRegisters caller{};
  if (!memory.load(saved(29), caller.bp) || !memory.load(saved(30), caller.link) ||
      !memory.load(saved(31), caller.sp) || !memory.load(saved(32), caller.pc))
    return false;
  caller.link = without_signature(caller.link);
  registers = caller;
  return true;
#else
  return false;
#endif
}

}  // namespace aiflame::agent
