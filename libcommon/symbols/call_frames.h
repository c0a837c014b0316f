// SPDX-License-Identifier: MIT
// How the functions of one object keep their callers' registers (.eh_frame, .debug_frame), as rules
// that can be applied again and again. Uses libdw, like dwarf.h. Of x86-64 alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace aiflame {

// Registers in the order of DWARF: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15, and rip, which stands
// for the return address too.
struct Registers {
  static constexpr unsigned kCount = 17, kFramePointer = 6, kStackPointer = 7, kInstruction = 16;
  uint64_t at[kCount] = {};
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

  // An object that cannot be read tells nothing.
  explicit CallFrames(const std::string& path);
  ~CallFrames();
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;

  // From a function to its caller, at an address of the object. `is_signal`: it was interrupted
  // there, not called.
  Step step(uint64_t vaddr, const Read& read, Registers& registers, bool& is_signal);

 private:
  // Where a caller's register is. What compilers write: at a distance from the canonical frame
  // address, which is at one from a register. What is not so is asked of libdw each time.
  struct Rule {
    enum class Kind : uint8_t { unknown, plain, other };
    static constexpr unsigned kSaved = 7;  // those that a function must keep, and rip
    static constexpr int32_t kSame = INT32_MAX, kUndefined = INT32_MAX - 1;
    Kind kind = Kind::unknown;
    bool is_signal = false;
    uint8_t base = 0;
    int32_t offset = 0;
    int32_t saved[kSaved] = {};  // in the order of kSavedRegisters, from the frame address
  };
  struct Impl;

  static const uint8_t kSavedRegisters[Rule::kSaved];
  Rule make_rule(uint64_t vaddr);
  Step step_other(uint64_t vaddr, const Read& read, Registers& registers);

  std::unique_ptr<Impl> impl_;
  std::unordered_map<uint64_t, Rule> rules_;
};

}  // namespace aiflame
