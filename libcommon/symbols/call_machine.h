// SPDX-License-Identifier: MIT
// What a walk of stacks must know of a machine: which of its registers lead to a caller. A program
// reads recordings of any of these machines, so readers take one of them as a value. Agents walk
// stacks of their own process alone: they take kThisMachine.
#pragma once

#include <elf.h>

#include <cstdint>

namespace aiflame {

// Registers have their DWARF numbers (System V ABI, AMD64 supplement, section 3.6.2; DWARF for the
// Arm 64-bit Architecture, section 4.1).
struct CallMachine {
  static constexpr unsigned kMostRegisters = 33, kMostKept = 12;

  int elf_machine;  // e_machine
  uint8_t numbers;  // registers that rules may name: 0 to numbers - 1
  uint8_t frame_pointer, stack_pointer;
  // The register whose rule tells the return address: on x86-64 the instruction pointer, which the
  // call has put on the stack; on AArch64 x30, the link register, which the call has set.
  uint8_t return_address;
  uint8_t instruction;  // on AArch64 it has no number in rules; here it follows the last one
  // The registers that a callee must keep. The one with the return address comes last.
  uint8_t kept_count;
  uint8_t kept[kMostKept];
  // The bits of a code address. The rest of a return address may be its signature (pointer
  // authentication). Programs have 48 bits unless they ask for more.
  uint64_t address_bits;

  constexpr bool has_link_register() const { return return_address != instruction; }
};

// rax rdx rcx rbx rsi rdi rbp rsp, r8 to r15, rip
inline constexpr CallMachine kX86_64 = {EM_X86_64, 17, 6, 7, 16, 16, 7, {3, 6, 12, 13, 14, 15, 16},
                                        UINT64_MAX};
// x0 to x30, sp; then pc
inline constexpr CallMachine kAarch64 = {EM_AARCH64,
                                         32,
                                         29,
                                         31,
                                         30,
                                         32,
                                         12,
                                         {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30},
                                         (uint64_t{1} << 48) - 1};

inline constexpr const CallMachine& kThisMachine =
#if defined(__aarch64__)
    kAarch64;
#else
    kX86_64;
#endif

// Null for a machine whose stacks are not walked.
constexpr const CallMachine* find_call_machine(int elf_machine) {
  for (const CallMachine* machine : {&kX86_64, &kAarch64})
    if (machine->elf_machine == elf_machine) return machine;
  return nullptr;
}

}  // namespace aiflame
