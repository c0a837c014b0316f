/* SPDX-License-Identifier: MIT
 *
 * The calling thread's number, asked of the kernel once per thread and process.
 */
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent {

inline uint32_t current_tid() {
  const ThreadRoom* room = thread_room();
  return room != nullptr ? room->owner.load(std::memory_order_relaxed)
                         : static_cast<uint32_t>(syscall(SYS_gettid));
}

}  // namespace aiflame::agent
