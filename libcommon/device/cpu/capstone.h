// SPDX-License-Identifier: MIT
// x86-64 instructions as text. The only user of Capstone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace aiflame {

class Capstone {
 public:
  // An x86-64 instruction is 15 bytes at most.
  static constexpr size_t kLongest = 15;

  Capstone();
  ~Capstone();
  Capstone(const Capstone&) = delete;
  Capstone& operator=(const Capstone&) = delete;

  // The mnemonic of the instruction that `bytes` begin with (`mulss`, `rep stosq`); empty where
  // there is none.
  std::string mnemonic(std::string_view bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
