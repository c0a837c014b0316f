/* SPDX-License-Identifier: MIT
 *
 * The lock for the channel's rare work: connecting and listing mappings. Its holder is quick, and
 * always one of our own functions. A forked child may inherit it locked, by a thread that does not
 * exist there: the child then just unlocks it.
 */
#pragma once

#include <sched.h>

#include <atomic>

namespace aiflame::agent {

class RareLock {
 public:
  void lock() {
    while (taken_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  bool try_lock() { return !taken_.test_and_set(std::memory_order_acquire); }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

inline RareLock rare_lock;

}  // namespace aiflame::agent
