/* SPDX-License-Identifier: MIT
 *
 * The lock for the channel's rare work: connecting and listing mappings. Its holder is quick, and
 * always one of our own functions. A forked child may inherit it locked, by a thread that does not
 * exist there: the child then just unlocks it.
 */
#pragma once

#include <sched.h>

#include <atomic>

#include "plugins/agents/common/busy.h"

namespace aiflame::agent {

class RareLock {
 public:
  void lock() {
    become_busy();
    while (taken_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  bool try_lock() {
    become_busy();
    const bool is_ours = !taken_.test_and_set(std::memory_order_acquire);
    if (!is_ours) be_less_busy();
    return is_ours;
  }
  void unlock() {
    taken_.clear(std::memory_order_release);
    be_less_busy();
  }

 private:
  std::atomic_flag taken_;
};

inline RareLock rare_lock;

}  // namespace aiflame::agent
