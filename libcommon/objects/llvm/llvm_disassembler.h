// SPDX-License-Identifier: MIT
// Disassembles by LLVM, in a child process: LLVM is large, takes 20 ms to load, and is not made for
// damaged code.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/objects/mnemonic.h"
#include "libcommon/process/answering_child.h"

namespace aiflame {

struct LlvmTarget {
  std::string triple;     // "amdgcn-amd-amdhsa"
  std::string processor;  // "gfx90a"; empty: any of the machine's
};

struct LlvmInstruction {
  Mnemonic mnemonic;
  std::string operands;  // with blanks as single spaces
  uint32_t size = 0;     // in bytes; 0 where it has no name
};

class LlvmDisassembler {
 public:
  // Answers requests in the child; tests have their own.
  using Prepare = AnsweringChild::Prepare;

  LlvmDisassembler();
  explicit LlvmDisassembler(Prepare prepare) : child_(std::move(prepare)) {}

  // Why no code of a target can be named, or Unnamed::no.
  Unnamed unnamed(const LlvmTarget& target);
  // The first instruction in `code`, which has at most kLongest bytes.
  const LlvmInstruction& instruction(const LlvmTarget& target, std::string_view code);
  const Mnemonic& name(const LlvmTarget& target, std::string_view code) {
    return instruction(target, code).mnemonic;
  }
  // All instructions in `code`, up to where the disassembler gives up. What is no instruction is
  // one of `unit` bytes, the target's shortest, without a name. A request holds some hundred
  // instructions: 10 000 take 0.1 s.
  std::vector<LlvmInstruction> all(const LlvmTarget& target, std::string_view code, uint32_t unit);

  // The longest instruction of the machines that are disassembled here: gfx11 has some of 20 bytes.
  static constexpr size_t kLongest = 20;

 private:
  struct Target {
    Unnamed unnamed = Unnamed::no;
    std::unordered_map<std::string, LlvmInstruction> instructions;  // by code
  };

  Target& target(const LlvmTarget& target);
  LlvmInstruction ask(const LlvmTarget& target, std::string_view code);
  std::vector<LlvmInstruction> ask_many(const LlvmTarget& target, std::string_view code);

  AnsweringChild child_;
  std::map<std::string, Target> targets_;  // by triple and processor
};

// The mnemonic in LLVM's text of an instruction, with prefixes that change what it does, as
// Capstone prints them: "rep stosq" of "\trep\t\tstosq\tqword ptr es:[rdi], rax". Empty where it
// has none. `operands` gets the rest, with blanks as single spaces. (pure)
std::string llvm_mnemonic(std::string_view text, std::string* operands = nullptr);

}  // namespace aiflame
