// SPDX-License-Identifier: MIT
// 96 bits that identify a text, so that the text itself need not be kept to recognise it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace aiflame::collapse {

// Words of 32 bits, so that a digest and a number take 16 bytes together.
struct Digest {
  uint32_t words[3] = {};
  bool operator==(const Digest&) const = default;
  uint64_t hash() const { return uint64_t{words[1]} << 32 | words[0]; }
};

// XXH3 with a random secret chosen at the start of the program, so that nobody can make two texts
// with the same digest. Among a million texts, two have the same digest with a probability of
// 2^-53.
class Digester {
 public:
  Digester();
  // `kind` is less than 16. The same text has different digests under different kinds.
  Digest of(std::string_view text, uint32_t kind) const;

 private:
  std::array<unsigned char, 192> secret_;  // as long as XXH3's default secret
};

}  // namespace aiflame::collapse
