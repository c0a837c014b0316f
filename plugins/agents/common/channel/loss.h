/* SPDX-License-Identifier: MIT
 *
 * Launches that found the ring full. They are counted in the ring, where the recorder reads the
 * count. After kGiveUpAfter of them in a row the recorder is taken to be gone or stopped: from then
 * on launches are only counted, without walking their stacks, until the tail moves again.
 */
#pragma once

#include <atomic>
#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/busy.h"
#include "plugins/agents/common/channel/ring.h"

namespace aiflame::agent {

constexpr uint32_t kGiveUpAfter = 10000;

inline std::atomic<uint32_t> losses_in_a_row{0};
// The tail's position when launches were given up; kNotStalled = they are not given up.
constexpr uint64_t kNotStalled = ~uint64_t{0};
inline std::atomic<uint64_t> stalled_tail{kNotStalled};

inline void add_lost_launches(agent_ring& to, uint64_t launches) {
  std::atomic_ref<uint64_t>(to.lost_launches).fetch_add(launches, std::memory_order_relaxed);
}

inline void add_lost_calls(agent_ring& to, uint64_t calls) {
  std::atomic_ref<uint64_t>(to.lost_calls).fetch_add(calls, std::memory_order_relaxed);
}

inline void add_lost_memory(agent_ring& to, uint64_t count) {
  std::atomic_ref<uint64_t>(to.lost_memory).fetch_add(count, std::memory_order_relaxed);
}

inline void add_lost_samples(agent_ring& to, uint64_t samples) {
  std::atomic_ref<uint64_t>(to.lost_samples).fetch_add(samples, std::memory_order_relaxed);
}

// Notes that a report of `launches` found the ring full.
inline void count_loss(agent_ring& to, uint64_t launches = 1) {
  add_lost_launches(to, launches);
  if (losses_in_a_row.fetch_add(1, std::memory_order_relaxed) + 1 == kGiveUpAfter)
    stalled_tail.store(load_tail(to), std::memory_order_relaxed);
}

// Notes that a report of launches found room.
inline void end_losses() {
  if (losses_in_a_row.load(std::memory_order_relaxed) != 0)
    losses_in_a_row.store(0, std::memory_order_relaxed);
}

// Launches of handlers that interrupt a forked child while it connects: it has no ring yet. They
// are added to the ring's count when it is there.
inline std::atomic<uint64_t> lost_while_connecting{0};

inline void add_lost_without_ring(uint64_t launches) {
  if (is_busy() && ring.load(std::memory_order_relaxed) == nullptr)
    lost_while_connecting.fetch_add(launches, std::memory_order_relaxed);
}

// False while the recorder does not move the tail, and in a signal's handler that has interrupted
// the agent: the launch is counted as lost.
// `add_lost`: counts it.
[[nodiscard]] inline bool admit(agent_ring& to, void (*add_lost)(agent_ring& to, uint64_t count)) {
  if (is_busy()) [[unlikely]] {
    add_lost(to, 1);
    return false;
  }
  const uint64_t stalled = stalled_tail.load(std::memory_order_relaxed);
  if (stalled == kNotStalled) return true;
  if (load_tail(to) == stalled) {
    add_lost(to, 1);
    return false;
  }
  losses_in_a_row.store(0, std::memory_order_relaxed);
  stalled_tail.store(kNotStalled, std::memory_order_relaxed);
  return true;
}

}  // namespace aiflame::agent
