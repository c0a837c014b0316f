// SPDX-License-Identifier: MIT
// Bounds what compressed input may expand to. zstd can make 32 kB of a byte, so that a small file
// could keep its reader busy for hours, and fill its memory.
#pragma once

#include <cstdint>

namespace aiflame {

class Expansion {
 public:
  // Counts bytes that were read, and what they expanded to. False: it is more than any honest input
  // has been seen to expand to. The most is a recording of a program that spins, with 64 kB of
  // copied stack in each sample: a sample then takes about 30 bytes, which is 2000-fold.
  [[nodiscard]] bool add(uint64_t compressed, uint64_t expanded) {
    compressed_ += compressed;
    expanded_ += expanded;
    return expanded_ <= kAlways || (expanded_ - kAlways) / kMostOfAByte <= compressed_;
  }
  uint64_t compressed() const { return compressed_; }

  static constexpr const char* kRefused =
      "compressed data expands to more than 128 MiB and 4096 times its size";

 private:
  static constexpr uint64_t kAlways = uint64_t{128} << 20, kMostOfAByte = 4096;
  uint64_t compressed_ = 0, expanded_ = 0;
};

}  // namespace aiflame
