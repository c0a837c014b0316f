// SPDX-License-Identifier: MIT
// 128 bits that stand for a text, so that the text itself need not be kept to be known again.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace aiflame {

struct Digest {
  uint64_t low = 0, high = 0;
  bool operator==(const Digest&) const = default;
};

// XXH3 under a secret drawn when the program starts: nobody can make two texts that meet, and of
// 2^32 texts any two meet with a probability of 2^-65, which is less than that of a memory error.
class Digester {
 public:
  Digester();
  Digest of(std::string_view text) const;

 private:
  std::array<unsigned char, 192> secret_;  // XXH3's own default is as long
};

}  // namespace aiflame
