// SPDX-License-Identifier: MIT
// What the programs that plant allocations know of them: each prints its own figures, and a
// recording must have the same, to the byte.
#pragma once

#include <time.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace demo {

// The sizes are no round numbers, so that no sum of some of them is that of others.
constexpr uint64_t kWeights = 4000037, kActivations = 1000003, kLeak = 65537, kPeak = 8000009;

class PlantedMemory {
 public:
  void allocated(uint64_t bytes) {
    live_ += bytes;
    peak_ = std::max(peak_, live_);
    ++allocations_;
  }
  void freed(uint64_t bytes) {
    live_ -= bytes;
    ++frees_;
  }
  // A step has ended; nothing is allocated for a moment around it.
  void step(uint64_t number) const {
    pause();
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    std::printf("step %" PRIu64 " %jd.%09ld %" PRIu64 "\n", number,
                static_cast<intmax_t>(now.tv_sec), now.tv_nsec, live_);
    pause();
  }
  void print() const {
    std::printf("peak %" PRIu64 "\nend %" PRIu64 "\nallocations %" PRIu64 "\nfrees %" PRIu64 "\n",
                peak_, live_, allocations_, frees_);
  }

  static void pause() {
    const timespec moment{0, 2000000};
    nanosleep(&moment, nullptr);
  }

 private:
  uint64_t live_ = 0, peak_ = 0, allocations_ = 0, frees_ = 0;
};

}  // namespace demo
