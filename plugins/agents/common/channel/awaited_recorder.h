/* SPDX-License-Identifier: MIT
 *
 * A recorder that may come later. A program that was told of a directory (--listen) may start
 * before a recorder listens there, and recorders may come and go while it runs. So its agents stay,
 * and look for a recorder's socket in the directory: when a launch is made and nobody reads what
 * they write, ten times a second at most.
 */
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>

#include "plugins/agents/common/channel/recorder_address.h"
#include "plugins/agents/common/clock.h"

namespace aiflame::agent {

// Tells the sockets of two recorders apart. The number of a file alone does not: it is used again.
struct SocketIdentity {
  uint64_t device = 0, file = 0, changed = 0;
  bool operator==(const SocketIdentity& other) const {
    return device == other.device && file == other.file && changed == other.changed;
  }
};

// False when there is no socket in the recorder's directory. It may be one that nobody listens at.
[[nodiscard]] bool find_socket(const RecorderAddress& of, SocketIdentity& out);

// Whether the time for another look has come; true for one thread only.
class LookTimer {
 public:
  bool is_due() {
    // the cheapest clock, as each launch reads it; it is a tick late at most
    const uint64_t now = nanoseconds_of(CLOCK_MONOTONIC_COARSE);
    uint64_t due = next_.load(std::memory_order_relaxed);
    return now >= due &&
           next_.compare_exchange_strong(due, now + kEvery, std::memory_order_relaxed);
  }

 private:
  static constexpr uint64_t kEvery = 100000000;
  std::atomic<uint64_t> next_{0};
};

}  // namespace aiflame::agent
