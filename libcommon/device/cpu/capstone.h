// SPDX-License-Identifier: MIT
// Names x86-64 instructions, but not all of AVX-512: see x86_disassembler.h. The only file that
// uses Capstone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace aiflame {

class Capstone {
 public:
  Capstone();
  ~Capstone();
  Capstone(const Capstone&) = delete;
  Capstone& operator=(const Capstone&) = delete;

  // Whether the library is installed.
  bool is_there();
  // The mnemonic of the first instruction in `bytes` (`mulss`, `rep stosq`). Empty where the bytes
  // are no instruction.
  std::string mnemonic(std::string_view bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
