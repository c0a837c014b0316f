/* SPDX-License-Identifier: MIT
 *
 * Whether the calling thread is inside the agent's locks. The handler of a signal that interrupts
 * it there must not wait for such a lock, as its holder goes on only after the handler: a launch
 * that is made in it is counted as lost.
 */
#pragma once

#include <atomic>
#include <cstdint>

namespace aiflame::agent {

inline thread_local uint32_t locks_held = 0;

inline bool is_busy() {
  return locks_held != 0;
}

// Comes before a lock is taken,
inline void become_busy() {
  locks_held = locks_held + 1;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// and this after it is released. A forked child may release a lock that another thread took.
inline void be_less_busy() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (locks_held != 0) locks_held = locks_held - 1;
}

}  // namespace aiflame::agent
