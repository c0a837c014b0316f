// SPDX-License-Identifier: MIT
// Names instructions of x86-64, but not all of AVX-512 (see x86_disassembler.h), and of AArch64,
// but none of SVE (see arm64_disassembler.h). The only file that uses Capstone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace aiflame {

class Capstone {
 public:
  enum class Machine { x86_64, aarch64 };

  explicit Capstone(Machine machine = Machine::x86_64);
  ~Capstone();
  Capstone(const Capstone&) = delete;
  Capstone& operator=(const Capstone&) = delete;

  // Whether the library is installed.
  bool is_there();
  // The mnemonic of the first instruction in `bytes` (`mulss`, `rep stosq`). Empty where the bytes
  // are no instruction.
  std::string mnemonic(std::string_view bytes) { return instruction(bytes, 0).mnemonic; }
  // All of it, as at `address`, which targets of jumps are relative to.
  struct Instruction {
    std::string mnemonic, operands;
    uint32_t size = 0;
  };
  Instruction instruction(std::string_view bytes, uint64_t address);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
