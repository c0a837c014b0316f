// SPDX-License-Identifier: MIT
// How the functions of one object save their callers' registers (.eh_frame, .debug_frame), as rules
// that are computed once per code range and applied often. libdw reads what eh_frame.h does not.
// x86-64 only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace aiflame {

// Registers by DWARF number: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15, and rip, which is the
// return address too.
struct Registers {
  static constexpr unsigned kCount = 17, kFramePointer = 6, kStackPointer = 7, kInstruction = 16;
  uint64_t at[kCount] = {};
};

// Where the caller's registers are, at some addresses of a function. Compilers write most rules in
// one form: registers are saved at fixed distances from the canonical frame address (CFA), which is
// at a fixed distance from a register. For rules of any other form, libdw is used at each step.
struct CallRule {
  enum class Kind : uint8_t { unknown, plain, outermost, other };
  static constexpr unsigned kMost = 7;  // the callee-saved registers and rip
  Kind kind = Kind::unknown;
  bool is_signal = false;  // a signal frame: the caller was interrupted there and made no call
  uint8_t base = 0;
  uint8_t saved = 0;
  int32_t offset = 0;
  int32_t places[kMost] = {};  // relative to the CFA
  uint8_t registers[kMost] = {};
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
  CallFrames(std::string_view tables, uint64_t header_size, uint64_t vaddr);
  ~CallFrames();
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;

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
    const uint64_t frame_address =
        registers.at[rule.base] + static_cast<uint64_t>(int64_t{rule.offset});
    for (unsigned i = 0; i < rule.saved; ++i) {
      uint64_t& value = registers.at[rule.registers[i]];
      if (read(frame_address + static_cast<uint64_t>(int64_t{rule.places[i]}), value)) continue;
      if (rule.registers[i] == Registers::kInstruction) return Step::end;
      value = 0;
    }
    registers.at[Registers::kStackPointer] = frame_address;
    return Step::done;
  }

 private:
  // A rule holds for a range of addresses.
  struct Row {
    uint64_t last = 0;
    CallRule rule;
  };
  struct Impl;

  CallRule make_rule(uint64_t vaddr, uint64_t& last);
  bool read_rule(uint64_t vaddr, CallRule& rule, uint64_t& last) const;
  Step step_other(uint64_t vaddr, const Read& read, Registers& registers);

  std::unique_ptr<Impl> impl_;
  std::map<uint64_t, Row> rows_;  // by the first address looked up
};

}  // namespace aiflame
