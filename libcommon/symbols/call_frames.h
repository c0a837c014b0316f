// SPDX-License-Identifier: MIT
// How the functions of one object keep their callers' registers (.eh_frame, .debug_frame), as rules
// that can be applied again and again. What eh_frame.h does not read is asked of libdw. Of x86-64
// alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace aiflame {

// Registers in the order of DWARF: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15, and rip, which stands
// for the return address too.
struct Registers {
  static constexpr unsigned kCount = 17, kFramePointer = 6, kStackPointer = 7, kInstruction = 16;
  uint64_t at[kCount] = {};
};

// Where the registers of a caller are, at some addresses of a function. As compilers write them: at
// a distance from the canonical frame address, which is at one from a register. What is not so is
// asked of libdw each time.
struct CallRule {
  enum class Kind : uint8_t { unknown, plain, outermost, other };
  static constexpr unsigned kMost = 7;  // registers that a function must keep, and rip
  Kind kind = Kind::unknown;
  bool is_signal = false;  // it was interrupted there, not called
  uint8_t base = 0;
  uint8_t saved = 0;
  int32_t offset = 0;
  int32_t places[kMost] = {};  // from the frame address
  uint8_t registers[kMost] = {};
  bool operator==(const CallRule&) const = default;
};

class CallFrames {
 public:
  // Reads 8 bytes of the stack; false: they are not known.
  using Read = std::function<bool(uint64_t address, uint64_t& out)>;
  enum class Step {
    done,     // `registers` are the caller's
    end,      // there is no caller
    unknown,  // nothing is told of this address
  };

  // Who reads the tables. libdw, too, is to say the same; it takes ten times as long.
  enum class Reader { ours, libdw };

  // An object that cannot be read tells nothing.
  explicit CallFrames(const std::string& path, Reader reader = Reader::ours);
  ~CallFrames();
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;

  // What is told of an address of the object; lasts as long as this.
  const CallRule& rule_at(uint64_t vaddr);
  // From a function to its caller, at an address with that rule. `read` is a Read, or like one.
  template <typename ReadWord>
  Step step(uint64_t vaddr, const CallRule& rule, const ReadWord& read, Registers& registers) {
    if (rule.kind == CallRule::Kind::other) return step_other(vaddr, read, registers);
    return step(rule, read, registers);
  }
  // The same, of any object, where the rule is not `other`.
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
  // Addresses next to one another have one rule.
  struct Row {
    uint64_t last = 0;
    CallRule rule;
  };
  struct Impl;

  CallRule make_rule(uint64_t vaddr, uint64_t& last);
  bool read_rule(uint64_t vaddr, CallRule& rule, uint64_t& last) const;
  Step step_other(uint64_t vaddr, const Read& read, Registers& registers);

  std::unique_ptr<Impl> impl_;
  std::map<uint64_t, Row> rows_;  // by the first that was asked for
};

}  // namespace aiflame
