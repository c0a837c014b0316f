// SPDX-License-Identifier: MIT
// 96 bits that stand for a text, so that the text itself need not be kept to be known again.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace aiflame::collapse {

// In words of 32 bits, so that a number beside it makes 16 bytes.
struct Digest {
  uint32_t words[3] = {};
  bool operator==(const Digest&) const = default;
  uint64_t hash() const { return uint64_t{words[1]} << 32 | words[0]; }
};

// XXH3 under a secret drawn when the program starts, so that nobody can make two texts that meet.
// That any two of a million meet has a probability of 2^-53.
class Digester {
 public:
  Digester();
  // The same text is another under another `kind`, less than 16.
  Digest of(std::string_view text, uint32_t kind) const;

 private:
  std::array<unsigned char, 192> secret_;  // XXH3's own default is as long
};

}  // namespace aiflame::collapse
