// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>

namespace aiflame {

// A mutex that is held for less time than it takes to sleep and wake, which is 20 to 50 µs in a
// virtual machine: lock() tries for some microseconds before it sleeps. glibc's adaptive mutex
// tries for as long as it recently took, which is too short when the holder has a page fault.
class SpinningMutex {
 public:
  void lock() {
    constexpr int kTries = 500;  // 1 costs 6 to 12 % (`make bench`, collapse, 2 cores)
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
