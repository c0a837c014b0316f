// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>

namespace aiflame {

// For what is held for less than it takes to sleep and wake, which is 20 to 50 µs in a virtual
// machine: who waits asks again for some microseconds first. glibc's adaptive mutex asks for as
// long as it took of late, which is too short where the holder comes upon a page fault.
class SpinningMutex {
 public:
  void lock() {
    constexpr int kTries = 500;
    for (int i = 0; i < kTries; ++i) {
      if (mutex_.try_lock()) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    mutex_.lock();
  }
  void unlock() {
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
};

}  // namespace aiflame
