/* SPDX-License-Identifier: MIT
 *
 * Holds a mutex for its lifetime. Not std::lock_guard, as agents do not link to a C++ library.
 */
#pragma once

#include <pthread.h>

#include "plugins/agents/common/busy.h"

namespace aiflame::agent {

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) {
    become_busy();
    pthread_mutex_lock(&mutex_);
  }
  ~Lock() {
    pthread_mutex_unlock(&mutex_);
    be_less_busy();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace aiflame::agent
