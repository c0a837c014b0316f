/* SPDX-License-Identifier: MIT
 *
 * The calling thread's number, asked of the kernel once per thread and process.
 */
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace aiflame::agent {

// Counts forks: a value kept under another count is the parent's.
inline std::atomic<uint32_t> process_generation{1};

struct ThreadId {
  uint32_t tid = 0;
  uint32_t process_generation = 0;
};
inline thread_local ThreadId thread_id;

inline uint32_t current_tid() {
  const uint32_t generation = process_generation.load(std::memory_order_relaxed);
  if (thread_id.process_generation != generation)
    thread_id = ThreadId{static_cast<uint32_t>(syscall(SYS_gettid)), generation};
  return thread_id.tid;
}

}  // namespace aiflame::agent
