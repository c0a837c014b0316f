/* SPDX-License-Identifier: MIT
 *
 * A lock whose holder is quick, and always one of our own functions. A forked child may inherit it
 * locked, by a thread that does not exist there: the child then just unlocks it.
 *
 * Who waits long sleeps in futex(2), as the locks of the program itself do: a filter of seccomp(2)
 * that lets a program with threads run allows it, and may kill for sched_yield(2).
 */
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include "plugins/agents/common/busy.h"

namespace aiflame::agent {

class QuickLock {
 public:
  void lock() {
    become_busy();
    // some ten microseconds, in which the holder is done unless it was preempted
    constexpr int kLooks = 200;
    for (int look = 0; !take(); ++look) {
      if (look < kLooks)
        pause();
      else
        sleep();
    }
  }
  [[nodiscard]] bool try_lock() {
    become_busy();
    const bool is_ours = take();
    if (!is_ours) be_less_busy();
    return is_ours;
  }
  void unlock() {
    taken_.store(0, std::memory_order_release);
    be_less_busy();
  }

 private:
  // Tells the processor that this is a loop that waits.
  static void pause() {
#if defined(__aarch64__)
    asm volatile("yield");
#else
    __builtin_ia32_pause();
#endif
  }
  [[nodiscard]] bool take() {
    return taken_.exchange(1, std::memory_order_acquire) == 0;
  }

  // Nobody wakes us: the holder's way out stays one store.
  [[gnu::noinline]] void sleep() {
    const int saved_errno = errno;
    const timespec moment{0, 50000};
    syscall(SYS_futex, &taken_, FUTEX_WAIT_PRIVATE, 1, &moment, nullptr, 0);
    errno = saved_errno;
  }

  std::atomic<uint32_t> taken_{0};
};

}  // namespace aiflame::agent
