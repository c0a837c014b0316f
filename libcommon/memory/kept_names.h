// SPDX-License-Identifier: MIT
// Bounds the names and stacks that compressed input makes a program keep. Text that is counted and
// forgotten may expand far (expansion.h), but each distinct name stays: 280 kB of zstd can hold a
// gigabyte of them. Tables of names count what they keep, and readers of compressed files ask.
#pragma once

#include <atomic>
#include <cstdint>

namespace aiflame {

class KeptNames {
 public:
  static void keep(uint64_t bytes) { kept_.fetch_add(bytes, std::memory_order_relaxed); }
  // Counts compressed bytes that were read. False: more is kept than honest input needs. Folded
  // Java stacks (FlameGraph's vertx example), all distinct, are 66 times their zstd -19.
  static bool allow(uint64_t compressed) {
    const uint64_t all = compressed_.fetch_add(compressed, std::memory_order_relaxed) + compressed;
    const uint64_t kept = kept_.load(std::memory_order_relaxed);
    return kept <= kAlways || (kept - kAlways) / kMostOfAByte <= all;
  }

  static constexpr const char* kRefused =
      "names and stacks take more than 64 MiB and 256 times the size of the compressed data";

 private:
  static constexpr uint64_t kAlways = uint64_t{64} << 20, kMostOfAByte = 256;
  // of the process: a name is kept once, whichever file it is in
  static inline std::atomic<uint64_t> kept_ = 0, compressed_ = 0;
};

}  // namespace aiflame
