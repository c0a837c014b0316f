/* SPDX-License-Identifier: MIT
 *
 * The numbers of launches. They rise within an agent; the upper bits tell the agents of a process
 * apart, which do not know of each other.
 */
#pragma once

#include <atomic>
#include <cstdint>

namespace aiflame::agent {

inline std::atomic<uint64_t> last_instance{0};
// Launches up to this one were reported to an earlier recorder.
inline std::atomic<uint64_t> first_instance{0};
inline uint64_t instances_of_agent = 0;

inline uint64_t next_instance() {
  return instances_of_agent | (last_instance.fetch_add(1, std::memory_order_relaxed) + 1);
}

inline bool is_of_earlier_recorder(uint64_t instance) {
  return (instance & ~instances_of_agent) <= first_instance.load(std::memory_order_relaxed);
}

}  // namespace aiflame::agent
