// SPDX-License-Identifier: MIT
// Names x86-64 instructions. The only file that uses Capstone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace aiflame {

class Capstone {
 public:
  // An x86-64 instruction has at most 15 bytes.
  static constexpr size_t kLongest = 15;

  Capstone();
  ~Capstone();
  Capstone(const Capstone&) = delete;
  Capstone& operator=(const Capstone&) = delete;

  // The mnemonic of the first instruction in `bytes` (`mulss`, `rep stosq`). Empty where the bytes
  // are no instruction.
  std::string mnemonic(std::string_view bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
