// SPDX-License-Identifier: MIT
// Bounds the names and stacks that compressed input makes a program keep. Text that is counted and
// forgotten may expand far (expansion.h), but each distinct name stays: 280 kB of zstd can hold a
// gigabyte of them. Each table of names has one of these and tells it what it keeps, and readers of
// compressed files ask.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace aiflame {

// What one table keeps. It is given back with the table.
class KeptNames {
 public:
  KeptNames() = default;
  KeptNames(KeptNames&& from) noexcept
      : kept_(std::exchange(from.kept_, 0)), told_(std::exchange(from.told_, 0)) {}
  KeptNames& operator=(KeptNames&& from) noexcept {
    std::swap(kept_, from.kept_);
    std::swap(told_, from.told_);
    return *this;
  }
  ~KeptNames() { kept_by_all_.fetch_sub(told_, std::memory_order_relaxed); }

  void keep(uint64_t bytes) {
    kept_ += bytes;
    if (kept_ - told_ < kStep) return;
    kept_by_all_.fetch_add(kept_ - told_, std::memory_order_relaxed);
    told_ = kept_;
  }

  // Counts compressed bytes that were read. False: all tables together keep more than honest input
  // needs. Folded Java stacks (FlameGraph's vertx example), all distinct, are 66 times their zstd
  // -19; 60000 stacks of 6 kB that differ in the last frame alone are 800 times theirs.
  [[nodiscard]] static bool allow(uint64_t compressed) {
    const uint64_t all = compressed_.fetch_add(compressed, std::memory_order_relaxed) + compressed;
    const uint64_t kept = kept_by_all_.load(std::memory_order_relaxed);
    return kept <= kAlways || (kept - kAlways) / kMostOfAByte <= all;
  }

  static constexpr const char* kRefused =
      "names and stacks take more than 256 MiB and 1024 times the size of the compressed data";

 private:
  static constexpr uint64_t kAlways = uint64_t{256} << 20, kMostOfAByte = 1024;
  static constexpr uint64_t kStep = uint64_t{64} << 10;  // a table is told in steps, for speed
  // Of the process: a name is kept once, whichever file it is in.
  static inline std::atomic<uint64_t> kept_by_all_ = 0, compressed_ = 0;
  uint64_t kept_ = 0, told_ = 0;
};

}  // namespace aiflame
