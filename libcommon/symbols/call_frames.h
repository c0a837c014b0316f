// SPDX-License-Identifier: MIT
// How the functions of one object save their callers' registers (.eh_frame, .debug_frame), as rules
// that are computed once per code range and applied often. libdw reads what eh_frame.h does not.
// x86-64 and AArch64.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/symbols/call_machine.h"

namespace aiflame {

// The registers of one frame, by the numbers of `machine`.
struct Registers {
  explicit Registers(const CallMachine& of = kThisMachine) : machine(&of) {}

  const CallMachine* machine;
  // False after a step by the frame pointer alone on AArch64, where the two saved words may lie
  // anywhere in a frame: the stack pointer is then only known to be above `stack_pointer()`.
  bool has_stack_pointer = true;
  uint64_t at[CallMachine::kMostRegisters] = {};

  uint64_t& stack_pointer() { return at[machine->stack_pointer]; }
  uint64_t& frame_pointer() { return at[machine->frame_pointer]; }
  uint64_t& instruction() { return at[machine->instruction]; }
  // To the instruction at which the caller goes on.
  void return_to_caller() { instruction() = at[machine->return_address] & machine->address_bits; }
};

// Where the caller's registers are, at some addresses of a function. Compilers write most rules in
// one form: registers are saved at fixed distances from the canonical frame address (CFA), which is
// at a fixed distance from a register. For rules of any other form, libdw is used at each step.
struct CallRule {
  // signal_return: code to which a signal's handler returns, in AArch64's vDSO, which has no tables
  enum class Kind : uint8_t { unknown, plain, outermost, other, signal_return };
  static constexpr unsigned kMost = CallMachine::kMostKept;
  Kind kind = Kind::unknown;
  bool is_signal = false;  // a signal frame: the caller was interrupted there and made no call
  uint8_t base = 0;
  uint8_t saved = 0;
  int32_t offset = 0;
  int32_t places[kMost] = {};     // relative to the CFA
  uint8_t registers[kMost] = {};  // the one with the return address comes last
  bool saves(uint8_t number) const { return saved > 0 && registers[saved - 1] == number; }
  bool operator==(const CallRule&) const = default;
};

class CallFrames {
 public:
  // Reads 8 bytes of the stack; false: they were not copied.
  using Read = std::function<bool(uint64_t address, uint64_t& out)>;
  enum class Step {
    done,     // `registers` are the caller's
    end,      // there is no caller
    unknown,  // no information for this address
  };

  // Who reads the tables; tests compare both. libdw takes ten times as long.
  enum class Reader { ours, libdw };

  // An object that cannot be read has no information for any address.
  explicit CallFrames(const std::string& path, Reader reader = Reader::ours);
  // Of code without an object: .eh_frame with .eh_frame_hdr, of `header_size` bytes, at its end.
  // `vaddr` is the address of the first byte. The bytes outlive this.
  CallFrames(std::string_view tables, uint64_t header_size, uint64_t vaddr,
             const CallMachine& machine = kThisMachine);
  ~CallFrames();
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;

  // Whose registers the rules name.
  const CallMachine& machine() const { return *machine_; }
  // The rule for an address of the object; valid as long as this CallFrames.
  const CallRule& rule_at(uint64_t vaddr);
  // Moves `registers` to the caller, from an address with that rule. `read` is callable like a
  // Read.
  template <typename ReadWord>
  Step step(uint64_t vaddr, const CallRule& rule, const ReadWord& read, Registers& registers) {
    if (rule.kind == CallRule::Kind::other) return step_other(vaddr, read, registers);
    return step(rule, read, registers);
  }
  // The same without an object, for a rule that is not `other`.
  template <typename ReadWord>
  static Step step(const CallRule& rule, const ReadWord& read, Registers& registers) {
    if (rule.kind == CallRule::Kind::unknown) return Step::unknown;
    if (rule.kind == CallRule::Kind::outermost) return Step::end;
    if (rule.kind == CallRule::Kind::signal_return) return step_signal(read, registers);
    const CallMachine& machine = *registers.machine;
    if (!registers.has_stack_pointer && !find_stack_pointer(rule, registers)) return Step::end;
    const uint64_t frame_address =
        registers.at[rule.base] + static_cast<uint64_t>(int64_t{rule.offset});
    for (unsigned i = 0; i < rule.saved; ++i) {
      uint64_t& value = registers.at[rule.registers[i]];
      if (read(frame_address + static_cast<uint64_t>(int64_t{rule.places[i]}), value)) continue;
      if (rule.registers[i] == machine.return_address) return Step::end;
      value = 0;
    }
    registers.stack_pointer() = frame_address;
    registers.has_stack_pointer = true;
    registers.return_to_caller();
    return Step::done;
  }

 private:
  // A rule holds for a range of addresses.
  struct Row {
    uint64_t last = 0;
    CallRule rule;
  };
  struct Impl;

  // After a step by the frame pointer alone: that points to where the rule says that the caller's
  // was saved. False: the stack pointer is not known, and the rule needs it.
  [[nodiscard]] static bool find_stack_pointer(const CallRule& rule, Registers& registers);
  // What an AArch64 kernel puts on the stack for a handler (its signal.c): 128 bytes of siginfo, a
  // ucontext of 176, then the sigcontext: a fault address, x0 to x30, sp, pc, of 8 bytes each.
  template <typename ReadWord>
  [[gnu::noinline]] static Step step_signal(const ReadWord& read, Registers& registers) {
    constexpr uint64_t kRegisters = 128 + 176 + 8;
    if (!registers.has_stack_pointer) return Step::end;
    const uint64_t first = registers.stack_pointer() + kRegisters;
    for (uint64_t i = 0; i <= registers.machine->instruction; ++i)
      if (!read(first + 8 * i, registers.at[i])) return Step::end;
    return Step::done;
  }

  CallRule make_rule(uint64_t vaddr, uint64_t& last);
  [[nodiscard]] bool read_rule(uint64_t vaddr, CallRule& rule, uint64_t& last) const;
  template <const CallMachine& of>
  [[nodiscard]] bool read_rule_of(uint64_t vaddr, CallRule& rule, uint64_t& last) const;
  Step step_other(uint64_t vaddr, const Read& read, Registers& registers);

  std::unique_ptr<Impl> impl_;
  const CallMachine* machine_ = &kThisMachine;
  std::map<uint64_t, Row> rows_;  // by the first address looked up
};

}  // namespace aiflame
