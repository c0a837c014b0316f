// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

namespace aiflame {

// For what is held for less than it takes to sleep and wake: who waits asks again for a while
// first. To be used with std::lock_guard.
class AdaptiveMutex {
 public:
  AdaptiveMutex() = default;
  AdaptiveMutex(const AdaptiveMutex&) = delete;
  AdaptiveMutex& operator=(const AdaptiveMutex&) = delete;
  ~AdaptiveMutex() { pthread_mutex_destroy(&mutex_); }

  void lock() { pthread_mutex_lock(&mutex_); }  // fails for robust and checking mutexes alone
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
};

}  // namespace aiflame
